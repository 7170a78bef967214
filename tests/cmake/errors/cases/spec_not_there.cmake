# expect: add_kernel_op(softmax): SPEC names "ops/op.json", but there is no
# expect: @SOURCE_DIR@/ops/op.json. Create it or correct the path; relative paths start at
# expect: @SOURCE_DIR@.
add_kernel_op(softmax SPEC ops/op.json REFERENCE reference.cpp)
