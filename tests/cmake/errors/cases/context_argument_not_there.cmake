# expect: add_kernel_op(softmax): CONTEXT names "clones/cutlass", but there is no
# expect: @SOURCE_DIR@/clones/cutlass. Create it or correct the path; relative paths start at
# expect: @SOURCE_DIR@.
add_kernel_op(softmax ${files} CONTEXT clones/cutlass)
