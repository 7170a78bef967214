# argument: -DKERNELLOOP_TEST_TIMEOUT=soon
# expect: add_kernel_op(softmax): KERNELLOOP_TEST_TIMEOUT is "soon", but must be a positive integer
add_kernel_op(softmax ${files})
