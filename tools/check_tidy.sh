#!/usr/bin/env bash
# clang-tidy over our own sources, several in one translation unit: most of the time goes into the
# headers that they share.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/tidy
cmake --preset tidy >/dev/null
mapfile -t units < <(grep -oP '"file": "\K[^"]+/tools/[^"]+(?=")' "$build/compile_commands.json" | sort -u)
if ((${#units[@]} == 0)); then
  echo "check_tidy.sh: no source in $build/compile_commands.json" >&2
  exit 1
fi
printf '%s\n' "${units[@]}" |
  xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
echo "clang-tidy: ${#units[@]} translation units, nothing found"
