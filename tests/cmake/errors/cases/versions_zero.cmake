# expect: add_kernel_op(softmax): VERSIONS is "0", but must be a positive integer, for example
# expect: VERSIONS 8.
add_kernel_op(softmax ${files} VERSIONS 0)
