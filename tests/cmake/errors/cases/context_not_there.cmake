# expect: add_kernel_op(softmax): KERNELLOOP_CONTEXT names "notes", but there is no
# expect: @SOURCE_DIR@/notes.
set(KERNELLOOP_CONTEXT notes)
add_kernel_op(softmax ${files})
