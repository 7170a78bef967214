# languages: CXX
# argument: -DKERNELLOOP_GENERATED_DIR=the#versions
# expect: add_kernel_op(softmax): KERNELLOOP_GENERATED_DIR is @SOURCE_DIR@/the#versions, and CMake or
# expect: Ninja cannot pass on the character # in a path. Use letters, digits, spaces and . _ - + = : @ % ( ) only.
add_kernel_op(softmax ${files})
