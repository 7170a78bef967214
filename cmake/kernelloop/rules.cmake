# The numbers of the rules by which versions are judged. They stand on the command lines of the
# device steps: raising one re-verifies (re-times) every version, while a relinked tool re-runs
# nothing. The device program refuses a number that is not its own.
set(KERNELLOOP_VERIFICATION_RULES 11)
set(KERNELLOOP_MEASUREMENT_RULES 4)

# The rungs of the test ladder, cheap first; each is a test of the adopted version.
set(
  KERNELLOOP_LADDER
  build
  smoke
  shapes
  values
  exact
  memory
  determinism
  workload
  holdout
  huge
  sanitizer
)
# Those that only a GPU can climb.
set(KERNELLOOP_GPU_RUNGS huge sanitizer)
