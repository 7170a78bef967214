# expect: add_kernel_op(softmax): SPEC is missing. Write add_kernel_op(softmax SPEC <op.json>
# expect: REFERENCE <file>).
add_kernel_op(softmax REFERENCE reference.cpp)
