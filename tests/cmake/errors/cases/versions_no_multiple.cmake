# expect: add_kernel_op(softmax): VERSIONS is 8, but must be a multiple of CANDIDATES (3), for
# expect: example VERSIONS 9.
add_kernel_op(softmax ${files} CANDIDATES 3)
