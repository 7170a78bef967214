# expect: add_kernel_op(softmax): SPEC names ".", but @SOURCE_DIR@/ is a directory. Name the
# expect: file in it.
add_kernel_op(softmax SPEC . REFERENCE reference.cpp)
