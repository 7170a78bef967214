# Settings that stand on a command line re-run the steps that have them, and ask nothing.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=1)
build(optimize_all)
expect_steps_any()
configure(-DKERNELLOOP_SOL_TARGET=0.8)
build(optimize_all)
expect_steps("learn softmax 1")
file(
  WRITE "${source_dir}/options.cmake"
  "set(KERNELLOOP_COMPILE_OPTIONS -use_fast_math [[-DX=\"a b\"]])\n"
)
configure()
build(optimize_all)
expect_steps(
  "compile softmax v001 90a --options=-use_fast_math --options=-DX=\"a b\""
  "verify softmax v001"
  "bench softmax v001"
  "learn softmax 1"
)
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" compile_options 1)
expect_equal("${value}" "-DX=\"a b\"")
file(WRITE "${source_dir}/options.cmake" "set(KERNELLOOP_ARCHITECTURES 90a 100a)\n")
configure()
build(optimize_all)
expect_steps(
  "compile softmax v001 90a 100a"
  "verify softmax v001"
  "bench softmax v001"
  "learn softmax 1"
)
configure(-DKERNELLOOP_DEVICE=cuda)
build(optimize_all)
expect_steps(
  "reference softmax"
  "compile softmax v001 90a 100a"
  "verify softmax v001"
  "bench softmax v001"
  "profile softmax v001"
  "learn softmax 1"
)
expect_no_work(optimize_all)
