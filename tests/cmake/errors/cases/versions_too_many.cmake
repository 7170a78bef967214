# expect: add_kernel_op(softmax): VERSIONS is "10000", but must be at most 9999, for example VERSIONS 8.
add_kernel_op(softmax ${files} VERSIONS 10000)
