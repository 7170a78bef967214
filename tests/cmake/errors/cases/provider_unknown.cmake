# expect: add_kernel_op(softmax): PROVIDER is "oracle", but must be one of: auto, replay, manual,
# expect: command, anthropic, openai, openai-chat.
add_kernel_op(softmax ${files} PROVIDER oracle)
