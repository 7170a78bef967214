#!/usr/bin/env bash
# peers.sh [environment]: installs the optional packages of tests/peers/requirements.txt into a
# virtual environment (build/peers-venv) and runs the tests against independent programs with it:
# SDKs, llama.cpp's server with a small model, llm-katan, a gateway. Exit code 77 when the packages
# cannot be had here. Uses the build of the preset "ci".
set -euo pipefail
cd "$(dirname "$0")/.."
environment=${1:-build/peers-venv}
[[ -x $environment/bin/python ]] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --no-deps -r tests/peers/requirements.txt || {
  echo "peers.sh: skipped, the packages cannot be installed here" >&2
  exit 77
}
cmake --preset ci -DKERNELLOOP_PEERS_PYTHON="$(cd "$environment" && pwd)/bin/python" >/dev/null
cmake --build build/ci --target kernelloop kernelloop-device kernelloop_stub_server
# One after another: each starts servers that want a core.
ctest --test-dir build/ci -L '^peers$' --verbose --no-tests=error
