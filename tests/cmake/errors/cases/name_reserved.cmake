# expect: add_kernel_op(all): "all" is reserved for the build system. Choose another name.
add_kernel_op(all ${files})
