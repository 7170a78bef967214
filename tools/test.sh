#!/usr/bin/env bash
# Builds everything and runs every test that can run on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/bootstrap.sh --dev
tools/check_style.sh
cmake --preset ci
cmake --build --preset ci
exec ctest --preset ci
