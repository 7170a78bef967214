# expect: add_kernel_op(softmax): two BASELINES are called "reference". Give the files different names.
# languages: CXX
add_kernel_op(softmax ${files} BASELINES reference.cpp reference.cpp)
