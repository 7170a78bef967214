#!/usr/bin/env bash
# Device steps as jobs of a real Slurm with two nodes, one job each: a round of eight with all that
# can come between, and what becomes of lost jobs. slurm_arrays.sh: as arrays.
source "$(dirname "$0")/harness.sh"
source "$(dirname "$0")/slurm_fixture.sh"
source "$(dirname "$0")/slurm_steps.sh"
nothing_left build

# A version's ladder and its timing as jobs, confined where anything can be.
if [[ -z $(bwrap --ro-bind / / --unshare-all true 2>&1) ]]; then
  KERNELLOOP_SANDBOX=required succeeds verify.log cmake --build build --target kernelloop/axpy/v001/bench.json
  [[ $(json $op/v001/verify.json status) == passed ]] || fail "the version is not verified"
  [[ $(json $op/v001/bench.json status) == measured ]] || fail "the version is not timed"
  for file in verify bench; do
    [[ $(json $op/v001/$file.json device.confinement) == bubblewrap* ]] || fail "$file ran unconfined in its job"
  done
  nothing_left build
fi

eight_steps
count_is 8 cat jobs || fail "not a job for each step"

# No such partition: no verdict. A step that says no: its own.
exits 8 partition.log step "$device" 1 --partition=nowhere
expect "kernelloop-sbatch: no job: " partition.log
echo '{}' >broken.json
exits 3 broken.log "$launcher" "$device" reference --checks broken.json --reference "$reference" --device cpu \
  --output out1/none.json
nothing_left .

# What Slurm cannot be asked.
exits 2 usage.log "$launcher" --gather=soon "$device" reference
expect "--gather=soon: is no number of seconds, such as --gather=5" usage.log
for option in --array --array=0-3 -a0-3; do
  exits 2 usage.log "$launcher" "$option" "$device" reference
  expect "$option: the tasks of an array are the steps that start together; say --gather=SECONDS" usage.log
done
KERNELLOOP_SLURM_POLL=.. exits 2 usage.log "$launcher" "$device" reference
expect "KERNELLOOP_SLURM_POLL seconds" usage.log
exits 2 usage.log "$launcher" --gres=gpu:1 "$device"
expect "usage: kernelloop-sbatch" usage.log
KERNELLOOP_SLURM_DIR=/dev/null exits 5 usage.log "$launcher" "$device" reference
expect "cannot make and lock a folder in /dev/null; set KERNELLOOP_SLURM_DIR" usage.log

mkdir empty
PATH=$work_dir/empty exits 4 usage.log "$BASH" "$launcher" "$device" reference
expect "kernelloop-sbatch: there is no sbatch here; run on a machine of the cluster" usage.log

# A job that somebody cancels.
echo 100 >seconds
start 1
until_true running 1
scancel "$(squeue --noheader --format=%i)"
ends 1 8
expect "without a result" lane1.log

# A job that is held is told of, and ends with its launcher.
start 1 --hold
until_true grep -q "is held (JobHeldUser); scontrol release" lane1.log
kill "${launchers[1]}"
ends 1 143
until_true queued 0
nothing_left .

# A launcher that is killed: the next one takes its job and its folder away.
start 1
until_true running 1
kill -9 "${launchers[1]}"
ends 1 137
swept() {
  exits 8 partition.log step "$device" 1 --partition=nowhere
  [[ -z $(ls -A kernelloop-jobs) ]]
}
until_true swept
until_true queued 0
nothing_left .

# An answer of the controller that is lost behind a job: there is one job.
mkdir shim
cat >shim/sbatch <<EOF
#!/bin/sh
"$(command -v sbatch)" "\$@" >/dev/null || exit
echo submitted >>"$work_dir/submitted"
echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2
exit 1
EOF
chmod +x shim/sbatch
echo 0 >seconds
rm -f runs
PATH=$work_dir/shim:$PATH start 1
has_result 1
count_is 1 cat runs || fail "ran $(wc -l <runs) times"
count_is 1 cat submitted || fail "submitted $(wc -l <submitted) times"
nothing_left .

# A program in place of sbatch that says nothing; a controller that stays away, whose job is cancelled.
printf '#!/bin/sh\n' >shim/sbatch
PATH=$work_dir/shim:$PATH start 1
ends 1 8
expect "kernelloop-sbatch: no job: sbatch said no number" lane1.log
rm shim/sbatch
printf '#!/bin/sh\necho "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1\n' >shim/squeue
chmod +x shim/squeue
echo 100 >seconds
PATH=$work_dir/shim:$PATH KERNELLOOP_SLURM_PATIENCE=1 start 1
ends 1 8
grep -qE "job [0-9]+: the controller is away: slurm_load_jobs error" lane1.log || fail "$(cat lane1.log)"
until_true queued 0
nothing_left .
