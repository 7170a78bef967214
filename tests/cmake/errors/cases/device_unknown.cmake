# expect: add_kernel_op(softmax): DEVICE is "tpu", but must be one of: auto, cuda, cpu.
add_kernel_op(softmax ${files} DEVICE tpu)
