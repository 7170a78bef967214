# languages: CXX
# expect: add_kernel_op(softmax): REFERENCE names "@SOURCE_DIR@/op.json", which by its name is no source
# expect: of C++ or CUDA. Name a .cpp or .cu file.
add_kernel_op(softmax SPEC op.json REFERENCE op.json)
