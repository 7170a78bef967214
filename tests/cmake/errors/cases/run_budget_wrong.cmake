# expect: add_kernel_op(softmax): KERNELLOOP_RUN_BUDGET_REQUESTS is "-1", but must be an integer of 0
# expect: or more, below 1e9, for example KERNELLOOP_RUN_BUDGET_REQUESTS 100.
set(KERNELLOOP_RUN_BUDGET_REQUESTS -1)
add_kernel_op(softmax ${files})
