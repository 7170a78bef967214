# languages: CXX
# expect: add_kernel_op(softmax): the property KERNELLOOP_VERSIONS was changed to "12" after the
# expect: call, but it shapes the build graph. Give it to add_kernel_op, or set the variable
# expect: KERNELLOOP_VERSIONS before the call.
add_kernel_op(softmax ${files})
set_target_properties(softmax PROPERTIES KERNELLOOP_VERSIONS 12)
