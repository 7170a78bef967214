# languages: CXX
# expect: need the language CUDA, which the project has not enabled.
file(WRITE "${CMAKE_CURRENT_SOURCE_DIR}/reference.cu" "")
add_kernel_op(softmax SPEC op.json REFERENCE reference.cu)
