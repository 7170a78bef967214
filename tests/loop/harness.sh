# Shared by the loop tests: source it with "$@" = source, build and work folder.
set -euo pipefail
shopt -s inherit_errexit

source_dir=$1
build_dir=$2
work_dir=$3
kernelloop=$build_dir/bin/kernelloop

rm -rf "$work_dir"
mkdir -p "$work_dir"
# The user's own configuration and keys must not matter.
export XDG_CONFIG_HOME=$work_dir/no-config
for name in $(compgen -e | grep -E '^(ANTHROPIC|OPENAI|KERNELLOOP)_' || true); do unset "$name"; done

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect <text> <file>: the file holds the text.
expect() {
  grep -qF -- "$1" "$2" || {
    cat "$2" >&2
    fail "expected in $2: $1"
  }
}

# refuses <code of ninja's command> <log> <command...>: the command fails and its output is kept.
refuses() {
  local log=$1
  shift
  if "$@" >"$log" 2>&1; then
    cat "$log" >&2
    fail "should not succeed: $*"
  fi
}

# succeeds <log> <command...>
succeeds() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    fail "should succeed: $*"
  }
}

# json <file> <jq-like path in Python>: prints a value of a JSON file.
json() {
  cmake -D "FILE=$1" -D "PATH_IN_JSON=$2" -P "$source_dir/tests/loop/json.cmake" 2>&1
}

no_work() {
  succeeds "$work_dir/no_work.log" cmake --build "$1" --target "$2"
  expect "no work to do" "$work_dir/no_work.log"
}
