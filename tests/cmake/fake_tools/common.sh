# Shared by the two stand-ins. They keep the command lines and files of docs/formats.md, do no real
# work, and log every run, so that tests can count what a build did.
#
# KERNELLOOP_FAKE_STATE names a directory:
#   log                 one line per run
#   hold_<step>_<vNNN>  the step says "reached" and hangs while this file is there
#   wait_<vNNN>         propose ends as the manual provider does while it waits for a person
#   fail_<step>_<vNNN>  the step ends with exit code 4 and writes nothing; fail_reference_<op> too
#   stop_<vNNN>         the learn step that ends with this version decides to stop
set -eu
state="${KERNELLOOP_FAKE_STATE:?not set; the stand-in programs are for tests}"

log() {
  echo "$*" >>"$state/log"
}

hash_of() {
  cat "$@" | cksum | cut -d ' ' -f 1
}

# Writes standard input to a file, atomically and only when it changed.
put() {
  mkdir -p "$(dirname "$1")"
  cat >"$1.new.$$"
  if cmp -s "$1.new.$$" "$1"; then
    rm "$1.new.$$"
  else
    mv "$1.new.$$" "$1"
  fi
}

steer() { # step version
  if [ -e "$state/fail_$1_$2" ]; then
    echo "error: $2: $1 was told to fail" >&2
    exit 4
  fi
  if [ -e "$state/hold_$1_$2" ]; then
    touch "$state/reached"
    while [ -e "$state/hold_$1_$2" ]; do sleep 0.05; done
  fi
}

version_name() {
  printf 'v%03d' "$1"
}

# Reads the options into variables: --depfile F becomes $depfile; of lists, all words in $words.
parse() {
  words=""
  while [ $# -gt 0 ]; do
    case "$1" in
      --options=*) words="$words $1" ;;
      --performance) performance=1 ;;
      --traced) # of kernelloop a flag, of kernelloop-device a file
        traced=1
        case "${2:-}" in /*) traced="$2" && shift ;; esac
        ;;
      --architectures | --write) ;;
      --*)
        key="$(echo "${1#--}" | tr - _)"
        eval "$key=\$2"
        shift
        ;;
      *) words="$words $1" ;;
    esac
    shift
  done
}
