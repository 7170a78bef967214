# expect: add_kernel_op(softmax): REFERENCE names "slow.cpp", but there is no @SOURCE_DIR@/slow.cpp.
add_kernel_op(softmax SPEC op.json REFERENCE slow.cpp)
