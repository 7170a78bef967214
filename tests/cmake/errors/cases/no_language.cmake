# expect: add_kernel_op(softmax): REFERENCE "@SOURCE_DIR@/reference.cpp" and the library
# expect: kernelloop::softmax need the language CXX, which the project has not enabled. Add it to
# expect: project(... LANGUAGES) or call enable_language(CXX) first.
add_kernel_op(softmax ${files})
