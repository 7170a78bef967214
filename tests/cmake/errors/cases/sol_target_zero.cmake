# expect: add_kernel_op(softmax): SOL_TARGET is "0.0", but must be a fraction of the roofline over 0
# expect: and up to 1, for example SOL_TARGET 0.9.
add_kernel_op(softmax ${files} SOL_TARGET 0.0)
