# expect: add_kernel_op(softmax): HINTS names "words.md", but there is no @SOURCE_DIR@/words.md.
add_kernel_op(softmax ${files} HINTS words.md)
