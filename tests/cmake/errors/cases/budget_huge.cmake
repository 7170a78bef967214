# expect: add_kernel_op(softmax): BUDGET_TOKENS is "20000000000", but must be an integer of 0 or more,
# expect: below 1e9, for example BUDGET_TOKENS 100.
add_kernel_op(softmax ${files} BUDGET_USD 007.5 BUDGET_TOKENS 20000000000)
