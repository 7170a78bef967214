# expect: add_kernel_op(softmax): ARCHITECTURES is "90a;native", but must be GPU architectures such
# expect: as 80, 90a or 100f.
add_kernel_op(softmax ${files} ARCHITECTURES 90a native)
