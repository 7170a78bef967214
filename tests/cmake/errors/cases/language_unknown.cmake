# expect: add_kernel_op(softmax): LANGUAGE is "OpenCL", but must be one of: CUDA.
add_kernel_op(softmax ${files} LANGUAGE OpenCL)
