# expect: add_kernel_op(softmax): LANGUAGE is "OpenCL", but must be one or more of: CUDA, CUTE, CUTILE, GLUON, TILELANG, TRITON.
add_kernel_op(softmax ${files} LANGUAGE OpenCL)
