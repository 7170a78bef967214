# languages: CXX
# expect: add_kernel_op(softmax): an operator of this name is already declared in @SOURCE_DIR@. Names
# expect: are unique in the whole project; rename one of the two.
add_kernel_op(softmax ${files})
add_kernel_op(softmax ${files})
