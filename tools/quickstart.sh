#!/usr/bin/env bash
# The whole loop for softmax and rmsnorm, from a fresh checkout, without a key: replays the recorded
# conversations into a scratch copy under build/quickstart, verifies and times every version on the
# GPU where there is one and on the CPU device elsewhere, and prints a table.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/bootstrap.sh
exec cmake --workflow --preset quickstart
