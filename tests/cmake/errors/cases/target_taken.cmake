# expect: add_kernel_op(softmax): needs a target named "bench_softmax", but the project already has
# expect: one. Rename the operator or that target.
add_custom_target(bench_softmax)
add_kernel_op(softmax ${files})
