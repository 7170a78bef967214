#!/usr/bin/env bash
# fuzz.sh [seconds] [parser...]: runs the libFuzzer targets of tests/fuzz with clang, sanitizers on,
# each for so many seconds (1200). New inputs go to build/fuzz/found/<parser>, what libFuzzer prints
# to build/fuzz/<parser>.log. An input that crashes, hangs or breaks a promise stays in build/fuzz/
# and fails the run: mend it, then add it to tests/fuzz/corpus/<parser>, which CTest plays back.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-1200}
parsers=("${@:2}")
((${#parsers[@]})) || parsers=(sse extract spec plan dialect)
command -v clang++ >/dev/null || {
  echo "fuzz.sh: needs clang++ (Debian: clang)" >&2
  exit 77
}
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target kernelloop_fuzzers
for parser in "${parsers[@]}"; do
  mkdir -p "build/fuzz/found/$parser"
  echo "$parser: $seconds s"
  "build/fuzz/tests/fuzz/kernelloop_fuzz_$parser" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=65536 -print_final_stats=1 -artifact_prefix="build/fuzz/$parser-" \
    "build/fuzz/found/$parser" "tests/fuzz/corpus/$parser" >"build/fuzz/$parser.log" 2>&1 || {
    tail -n 40 "build/fuzz/$parser.log" >&2
    exit 1
  }
  grep -E 'DONE |^stat::' "build/fuzz/$parser.log"  # coverage (cov, ft), then executions
done
