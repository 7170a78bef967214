# expect: add_kernel_op(softmax): needs a target named "report_all", but the project already has one.
add_custom_target(report_all)
add_kernel_op(softmax ${files})
