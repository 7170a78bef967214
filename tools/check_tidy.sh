#!/usr/bin/env bash
# clang-tidy over our own sources, several in one translation unit: most of the time goes into the
# headers that they share.
#
#   tools/check_tidy.sh                    all of them
#   tools/check_tidy.sh --changed [<rev>]  the units of sources that differ from <rev> (default: main)
#                                          or from what is committed
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/tidy
cmake --preset tidy >/dev/null
mapfile -t units < <(grep -oP '"file": "\K[^"]+/tools/[^"]+(?=")' "$build/compile_commands.json" | sort -u)
if ((${#units[@]} == 0)); then
  echo "check_tidy.sh: no source in $build/compile_commands.json" >&2
  exit 1
fi
if [[ ${1-} == --changed ]]; then
  base=$(git merge-base "${2-main}" HEAD)
  changed=$(git diff --name-only "$base" -- 'tools/*.cpp' | sed "s|^|$PWD/|")
  # A unit includes its sources by their whole names, or is one of them.
  mapfile -t units < <(printf '%s\n' "${units[@]}" | while read -r unit; do
    if [[ -n $changed ]] && { grep -qxF "$unit" <<<"$changed" || grep -qF "$changed" "$unit"; }; then
      echo "$unit"
    fi
  done)
fi
if ((${#units[@]} > 0)); then
  printf '%s\n' "${units[@]}" |
    xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
fi
echo "clang-tidy: ${#units[@]} translation units, nothing found"
