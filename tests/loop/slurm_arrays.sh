#!/usr/bin/env bash
# Device steps that gather and become arrays of a real Slurm with two nodes: a round of eight with all
# that can come between; launchers that are interrupted, killed or refused harm no other.
source "$(dirname "$0")/harness.sh"
source "$(dirname "$0")/slurm_fixture.sh"
source "$(dirname "$0")/slurm_steps.sh"

eight_steps --gather=2
count_is 1 cat jobs || fail "eight steps are $(wc -l <jobs) jobs"

# One that is interrupted ends its own task, before it is submitted or after; whoever has the lock.
in_spool() { count_is "$1" compgen -G "kernelloop-jobs/gather.*/job.*"; }
echo 100 >seconds
for lane in 1 2 3 4; do start "$lane" --gather=2; done
until_true in_spool 4
kill "${launchers[1]}"
ends 1 143
until_true queued 3
kill "${launchers[2]}"
ends 2 143
until_true queued 2
until_true running 2
scancel "$(squeue --noheader --array --format=%i | head -n 1)"
until_true queued 1
echo 0 >seconds
rest=$(squeue --noheader --array --format=%i)
scontrol requeue "$rest"
hurry "$rest"
codes=
for lane in 3 4; do
  code=0
  wait "${launchers[lane]}" || code=$?
  codes+=" $code"
done
kill "$hurrying"
[[ $codes == " 0 8" || $codes == " 8 0" ]] || { cat lane3.log lane4.log >&2; fail "exit codes$codes"; }
nothing_left .

# All that are interrupted at once leave nothing.
echo 100 >seconds
for lane in 1 2 3; do start "$lane" --gather=1; done
until_true queued 3
kill "${launchers[@]:1:3}"
for lane in 1 2 3; do ends "$lane" 143; done
until_true queued 0
nothing_left .

# Who gathers is killed: before sbatch, and between sbatch and word to the others. These go on, with
# the same array if there is one.
gatherer() { # the lane of the launcher that waits for others, of those named
  local lane
  for lane in "$@"; do
    [[ $(ps -o args= --ppid "${launchers[lane]}") != "sleep 2" ]] || echo "$lane"
  done
}
echo 0 >seconds
rm -f runs
for lane in 1 2 3; do start "$lane" --gather=2; done
until_true in_spool 3
first=$(gatherer 1 2 3)
[[ $first =~ ^[123]$ ]] || fail "nobody gathers"
kill -9 "${launchers[first]}"
for lane in 1 2 3; do
  if [[ $lane == "$first" ]]; then ends "$lane" 137; else has_result "$lane"; fi
done
count_is 2 cat runs || fail "ran $(wc -l <runs) times"
exits 8 sweep.log step "$device" 1 --partition=nowhere
nothing_left .

mkdir shim
cat >shim/sbatch <<EOF
#!/bin/sh
"$(command -v sbatch)" "\$@"
echo submitted >>"$work_dir/submitted"
[ -e "$work_dir/killed" ] || { touch "$work_dir/killed"; kill -9 "\$PPID"; }
EOF
chmod +x shim/sbatch
rm -f runs
for lane in 1 2 3; do PATH=$work_dir/shim:$PATH start "$lane" --gather=1; done
codes=
for lane in 1 2 3; do
  code=0
  wait "${launchers[lane]}" || code=$?
  codes+=" $code"
done
[[ $(tr ' ' '\n' <<<"${codes# }" | sort | paste -sd ' ') == "0 0 137" ]] || { tail lane?.log >&2; fail "exit codes$codes"; }
count_is 1 cat submitted || fail "submitted $(wc -l <submitted) times"
exits 8 sweep.log step "$device" 1 --partition=nowhere
nothing_left .

# What sbatch refuses is refused to all, and asked once; other options make another array.
cat >shim/sbatch <<EOF
#!/bin/sh
echo "\$@" >>"$work_dir/asked"
exec "$(command -v sbatch)" "\$@"
EOF
for lane in 1 2 3; do PATH=$work_dir/shim:$PATH start "$lane" --gather=1 --partition=nowhere; done
PATH=$work_dir/shim:$PATH start 4 --gather=1
for lane in 1 2 3; do
  ends "$lane" 8
  expect "kernelloop-sbatch: no job: sbatch: error: " "lane$lane.log"
done
has_result 4
count_is 2 cat asked || fail "asked $(wc -l <asked) times"
expect "--array=0-2" asked
expect "--array=0-0" asked
nothing_left .

# A folder that cannot be made, locks that do not work.
printf '#!/bin/sh\ncase $2 in */gather.*) exit 1 ;; esac\nexec "%s" "$@"\n' "$(command -v mkdir)" >shim/mkdir
chmod +x shim/mkdir
PATH=$work_dir/shim:$PATH start 1 --gather=1
ends 1 5
expect "kernelloop-sbatch: cannot gather in $work_dir/kernelloop-jobs/gather." lane1.log
expect "; is there space, and may it be written?" lane1.log
rm shim/mkdir
printf '#!/bin/sh\n[ "$1" != -w ] || exit 71\nexec "%s" "$@"\n' "$(command -v flock)" >shim/flock
chmod +x shim/flock
PATH=$work_dir/shim:$PATH start 1 --gather=1
ends 1 4
expect "/lock cannot be locked; leave --gather out" lane1.log
