# expect: add_kernel_op(softmax): KERNELLOOP_VERSIONS is "many", but must be a positive integer, for
# expect: example KERNELLOOP_VERSIONS 8.
# argument: -DKERNELLOOP_VERSIONS=many
add_kernel_op(softmax ${files})
