# languages: CXX
# expect: add_kernel_op(softmax): an operator of this name is already declared in @SOURCE_DIR@/other.
# expect: Names are unique in the whole project; rename one of the two.
file(
  WRITE "${CMAKE_CURRENT_SOURCE_DIR}/other/CMakeLists.txt"
  "add_kernel_op(softmax SPEC ../op.json REFERENCE ../reference.cpp)"
)
add_subdirectory(other)
add_kernel_op(softmax ${files})
