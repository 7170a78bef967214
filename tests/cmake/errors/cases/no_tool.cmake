# argument: -DKERNELLOOP_TOOL=
# expect: add_kernel_op(softmax): there is no program KernelLoop::kernelloop. Call
# expect: find_package(KernelLoop) or add_subdirectory(<KernelLoop>) first, or set KERNELLOOP_TOOL to
# expect: the path of a built one.
add_kernel_op(softmax ${files})
