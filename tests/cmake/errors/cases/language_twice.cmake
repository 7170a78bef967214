# expect: add_kernel_op(softmax): LANGUAGE is "CUDA;TRITON;CUDA", but must be names that differ; CUDA
# expect: comes twice.
add_kernel_op(softmax ${files} LANGUAGE CUDA TRITON CUDA)
