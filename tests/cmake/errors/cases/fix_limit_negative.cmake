# expect: add_kernel_op(softmax): FIX_LIMIT is "-1", but must be an integer of 0 or more, for example
# expect: FIX_LIMIT 3.
add_kernel_op(softmax ${files} FIX_LIMIT -1)
