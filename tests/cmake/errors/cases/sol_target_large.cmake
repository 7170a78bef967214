# expect: add_kernel_op(softmax): SOL_TARGET is "1.01", but must be a fraction of the roofline over 0
add_kernel_op(softmax ${files} SOL_TARGET 1.01)
