# languages: CXX
# expect: add_kernel_op(softmax): KERNELLOOP_PROVIDER is "oracle", but must be one of: auto, replay,
add_kernel_op(softmax ${files})
set_target_properties(softmax PROPERTIES KERNELLOOP_PROVIDER oracle)
