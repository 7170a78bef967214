#!/usr/bin/env bash
# Builds everything and runs every test that can run on this machine. A test that is skipped must
# stand in tests/expected_skips.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/bootstrap.sh --dev
tools/check_style.sh
cmake --preset ci
cmake --build --preset ci
# The toolchains that take seconds and less than a gigabyte each; where there is none to be had, the
# tests of the language are skipped.
for language in triton cute cutile; do
  build/ci/bin/kernelloop toolchain install "$language" ||
    echo "test.sh: no toolchain of $language; its tests are skipped" >&2
done
tools/with_marked_keys.sh ctest --preset ci --parallel "$(nproc)"

patterns=$(grep -vE '^(#|$)' tests/expected_skips.txt | paste -sd '|')
unexpected=$(grep -oP '<testcase name="\K[^"]+(?="[^>]*status="(notrun|disabled)")' build/ci/junit.xml |
  grep -vE "$patterns" || true)
if [[ -n $unexpected ]]; then
  printf 'test.sh: skipped without being expected:\n%s\n' "$unexpected" >&2
  exit 1
fi
