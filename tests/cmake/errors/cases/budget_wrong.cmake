# expect: add_kernel_op(softmax): BUDGET_USD is "5 dollars", but must be an amount of US dollars below
# expect: 1e9, for example BUDGET_USD 2.50.
add_kernel_op(softmax ${files} BUDGET_USD "5 dollars")
