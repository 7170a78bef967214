# expect: add_kernel_op(softmax): CANDIDATES is "2.5", but must be a positive integer
add_kernel_op(softmax ${files} CANDIDATES 2.5)
