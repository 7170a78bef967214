#!/usr/bin/env bash
# What confinement costs: a step with and without a sandbox in turns. Without one that is named, the
# shortest there is, which starts one worker and asks what the device is.
#
#   confinement.sh <kernelloop-device> [cpu|cuda] [<runs> [<arguments of a step, as verify ...>]]
#
# Prints the medians of both, in milliseconds, and the median of the differences between neighbours,
# from one run. PAUSE=<seconds> before each step, for `cuda` 0.4 unless told: a GPU's driver clears
# up behind a worker for some 100 ms, in which the next step waits, so that without a pause each of
# both is charged what the other one left. Then runs of each kind in a row, without a pause, where
# that counts.
set -euo pipefail

device_tool=$1
device=${2:-cpu}
runs=${3:-51}
step=("${@:4}")
pause=0
[[ $device == cpu ]] || pause=0.4
pause=${PAUSE:-$pause}
[[ ${#step[@]} -gt 0 ]] || step=(info)

# in_a_row <mode> <count>: milliseconds of each of so many steps, one behind the other
in_a_row() {
  local begin=$EPOCHREALTIME i
  for ((i = 0; i < $2; ++i)); do
    KERNELLOOP_SANDBOX=$1 "$device_tool" "${step[@]}" --device "$device" >/dev/null
  done
  awk -v begin="$begin" -v end="$EPOCHREALTIME" -v count="$2" \
    'BEGIN { printf "%.3f\n", 1000 * (end - begin) / count }'
}
# once <mode>: milliseconds of one step after a pause
once() {
  sleep "$pause"
  in_a_row "$1" 1
}
median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

times=$(mktemp)
trap 'rm -f "$times"' EXIT
once required >/dev/null # says why where nothing can be confined
once off >/dev/null
for ((run = 0; run < runs; ++run)); do
  if ((run % 2)); then
    off=$(once off)
    on=$(once required)
  else
    on=$(once required)
    off=$(once off)
  fi
  echo "$off $on" >>"$times"
done
printf '%s, %s: %.1f ms, confined %.1f ms; the sandbox adds %.1f ms (%d runs each)\n' \
  "$device" "${step[0]}" "$(awk '{ print $1 }' "$times" | median)" "$(awk '{ print $2 }' "$times" | median)" \
  "$(awk '{ print $2 - $1 }' "$times" | median)" "$runs"
off=$(in_a_row off "$runs")
on=$(in_a_row required "$runs")
printf '%s, %s: %d in a row %.1f ms each, confined %.1f ms\n' "$device" "${step[0]}" "$runs" "$off" "$on"
