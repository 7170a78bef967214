# expect: add_kernel_op(softmax): missing value after: CONTEXT, VERSIONS. Give one or leave the
# expect: keyword out.
add_kernel_op(softmax ${files} VERSIONS CONTEXT)
