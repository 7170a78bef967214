# expect: add_kernel_op(softmax): SPEC is missing.
add_kernel_op(softmax)
