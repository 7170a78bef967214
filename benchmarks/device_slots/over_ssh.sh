#!/usr/bin/env bash
# How well steps that go over ssh fill the devices of a host: Ninja sends steps of a known length to
# a real sshd on this machine, where each takes one of the simulated devices that is free.
#
#   over_ssh.sh <source> <build> <work> [<steps> [<devices> [<seconds>]]]
#
# <build> is a build tree of this repository; what is needed of it is built. Ninja's pool is as deep as
# there are devices. Prints the wall time, the ideal time (that for which devices were held, all steps
# together, divided by their number) and their ratio, from one run.
source "$(dirname "$0")/../../tests/loop/harness.sh"
source "$source_dir/tests/loop/sshd.sh"
steps=${4:-64}
devices=${5:-4}
seconds=${6:-2}

device=$build_dir/bin/kernelloop-device
launcher=$source_dir/tools/launchers/kernelloop-ssh
cd "$work_dir"
succeeds targets.log cmake --build "$build_dir" --target device_slots kernelloop/softmax/checks.json softmax_reference
op=$build_dir/kernelloop/softmax

mkdir -m 777 records locks results
# Stands for the device program: holds a device for so long, then does the real step, which is short.
cat >step.sh <<EOF
#!/bin/sh
[ "\$1" != run ] || KERNELLOOP_LOCK_DIR=$work_dir/locks "$build_dir/benchmarks/device_slots/device_slots" --devices $devices \\
  --step $seconds --record $work_dir/records/\$\$ 2>/dev/null || exit 4
exec "$device" "\$@"
EOF
chmod +x step.sh
{
  printf 'pool devices\n  depth = %s\n' "$devices"
  printf 'rule step\n  command = %s gpuhost %s reference --checks %s/checks.json --reference %s/reference.so --device cpu --output $out\n  pool = devices\n' \
    "$launcher" "$work_dir/step.sh" "$op" "$op"
  for ((i = 0; i < steps; ++i)); do echo "build results/$i.json: step"; done
} >build.ninja
begin=$EPOCHREALTIME
succeeds ninja.log ninja -j $((4 * devices))
end=$EPOCHREALTIME
cat records/* | awk -v wall="$(awk "BEGIN { print $end - $begin }")" -v devices="$devices" '
  { held += $3 - $2; ++steps }
  END {
    ideal = held / devices
    printf "%d steps over ssh on %d devices: %.2f s, ideal %.2f s, ratio %.3f\n", steps, devices, wall, ideal, wall / ideal
  }'
