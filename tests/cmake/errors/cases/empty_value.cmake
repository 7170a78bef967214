# expect: add_kernel_op(softmax): missing value after: MODEL. Give one or leave the keyword out.
add_kernel_op(softmax ${files} MODEL "${not_set}")
