# generator: Unix Makefiles
# expect: add_kernel_op(softmax): needs Ninja, but the generator is "Unix Makefiles", which would run
# expect: steps again at every build. Configure an empty build directory with -G Ninja.
add_kernel_op(softmax ${files})
