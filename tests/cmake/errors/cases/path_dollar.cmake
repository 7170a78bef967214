# build: a$b
# expect: add_kernel_op(softmax): the build directory is @BUILD_DIR@, and CMake or Ninja cannot pass on
# expect: the character $ in a path. Use letters, digits, spaces and . _ - + = : @ % ( ) only.
add_kernel_op(softmax ${files})
