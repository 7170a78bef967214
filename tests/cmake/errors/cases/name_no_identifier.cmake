# expect: add_kernel_op(soft-max): the name of an operator must be an identifier (letters, digits and
# expect: underscores, no digit first), because it names targets and C++ functions.
add_kernel_op(soft-max ${files})
