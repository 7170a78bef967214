# expect: add_kernel_op(softmax): BASELINES names "cub.cu", but there is no @SOURCE_DIR@/cub.cu.
add_kernel_op(softmax ${files} BASELINES cub.cu)
