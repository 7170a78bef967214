# languages: CXX
# argument: -DKERNELLOOP_GPU_JOBS=none
# expect: add_kernel_op: KERNELLOOP_GPU_JOBS is "none", but must be a positive integer, the depth of
# expect: the job pool kernelloop_gpu.
add_kernel_op(softmax ${files})
