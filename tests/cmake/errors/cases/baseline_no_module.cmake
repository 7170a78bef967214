# expect: add_kernel_op(softmax): BASELINES names the target ours, which is no MODULE or SHARED library (STATIC_LIBRARY).
# languages: CXX
add_library(ours STATIC reference.cpp)
add_kernel_op(softmax ${files} BASELINES ours)
