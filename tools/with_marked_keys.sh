#!/usr/bin/env bash
# with_marked_keys.sh <command...>: runs a command, like the whole test suite, with a made-up key in
# the variables of every provider, and looks for it: in every command line while it runs, and after
# it in every file of the checkout, build trees and logs included, and every temporary file written
# meanwhile. Fails when the command does, or where the key is found.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
key=marked-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
encoded=$(printf %s "$key" | base64 -w0)
encoded=${encoded:0:40}  # what follows depends on the length
for name in ANTHROPIC_API_KEY OPENAI_API_KEY KERNELLOOP_OPENAI_CHAT_API_KEY; do export "$name=$key"; done
# Whoever asks in spite of all reaches nobody.
export ANTHROPIC_BASE_URL=http://127.0.0.1:9 OPENAI_BASE_URL=http://127.0.0.1:9/v1

seen=$(mktemp)
patterns=$(mktemp)
trap 'rm -f "$seen" "$patterns"' EXIT
printf '%s\n%s\n' "$key" "$encoded" >"$patterns"
began=$(mktemp)

# In the background, for a command that runs there would ignore Ctrl-C, and what it starts too.
watch_command_lines() {
  while :; do
    # Patterns from a file: grep's own command line must not hold them.
    for file in $(grep -laFf "$patterns" /proc/[0-9]*/cmdline 2>/dev/null); do
      echo "the command line of $(cat "${file%cmdline}comm" 2>/dev/null)" >>"$seen"
    done
    sleep 0.5
  done
}
watch_command_lines &
watcher=$!
code=0
"$@" || code=$?
kill "$watcher"
wait "$watcher" 2>/dev/null || true

{
  grep -rlaFf "$patterns" --exclude-dir=.git "$root" || true
  find "${TMPDIR:-/tmp}" -xdev -type f -newer "$began" ! -samefile "$patterns" -print0 2>/dev/null |
    xargs -0 -r grep -laFf "$patterns" 2>/dev/null || true
} >>"$seen"
rm -f "$began"
if [[ -s $seen ]]; then
  echo "with_marked_keys.sh: the key stands in" >&2
  sort -u "$seen" >&2
  exit 1
fi
echo "marked keys: 0 found in $(find "$root" -name .git -prune -o -type f -print | wc -l) files and the command lines"
exit "$code"
