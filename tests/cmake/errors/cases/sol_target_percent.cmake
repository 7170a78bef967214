# expect: add_kernel_op(softmax): SOL_TARGET is "90%", but must be a fraction of the roofline over 0
add_kernel_op(softmax ${files} SOL_TARGET 90%)
