# expect: add_kernel_op(softmax): LANGUAGE is "OpenCL", but must be one or more of: CUDA, GLUON, TRITON.
add_kernel_op(softmax ${files} LANGUAGE OpenCL)
