# expect: add_kernel_op(softmax): FIX_LIMIT is "-1", but must be an integer from 0 to 9999, for
# expect: example FIX_LIMIT 3.
add_kernel_op(softmax ${files} FIX_LIMIT -1)
