# argument: -DKERNELLOOP_DEVICE_TOOL=/nowhere/kernelloop-device
# expect: add_kernel_op(softmax): KERNELLOOP_DEVICE_TOOL is "/nowhere/kernelloop-device", but must be
# expect: the absolute path of an existing kernelloop-device program. Correct it, or unset it to use
# expect: KernelLoop's own.
add_kernel_op(softmax ${files})
