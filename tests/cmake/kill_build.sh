#!/bin/sh
# kill_build.sh <signal> <state directory> <build directory> <target>...
#
# Builds, waits until a step has reached its hold, and ends all processes of the build.
signal="$1"
state="$2"
build="$3"
shift 3
setsid ninja -C "$build" "$@" &
ninja=$!
tries=0
while [ ! -e "$state/reached" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 1200 ] || ! kill -0 "$ninja" 2>/dev/null; then
    kill -KILL "-$ninja" 2>/dev/null
    exit 1
  fi
  sleep 0.05
done
if [ "$signal" = INT ]; then
  # As a terminal does it: the whole group hears of it.
  kill -INT "-$ninja"
else
  # As a crash or the kernel does it: all gone at once. Steps have process groups of their own; what
  # they share with Ninja is the session. Again until none is left: Ninja may start a step while
  # pkill goes through the list.
  while pkill -KILL --session "$ninja"; do sleep 0.01; done
fi
wait "$ninja"
# Steps that still end do so before the next build starts.
while pgrep --session "$ninja" >/dev/null; do sleep 0.05; done
exit 0
