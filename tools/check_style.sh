#!/usr/bin/env bash
# Formatting of C++ and CMake; `--fix` formats.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files '*.cpp' '*.hpp' '*.h' ':!generated' ':!tests/**/data')
mapfile -t lists < <(git ls-files '*CMakeLists.txt' '*.cmake' ':!tests/**/data')
gersemi=.venv/bin/gersemi
[[ -x $gersemi ]] || gersemi=gersemi

if [[ ${1:-} == --fix ]]; then
  clang-format -i "${sources[@]}"
  "$gersemi" --in-place "${lists[@]}"
  exit
fi

clang-format --dry-run --Werror "${sources[@]}"
"$gersemi" --check "${lists[@]}"
