# generator: Ninja Multi-Config
# expect: add_kernel_op(softmax): the generator "Ninja Multi-Config" would verify and time every
# expect: version again at each switch of configuration. Use -G Ninja with one build directory per
# expect: configuration.
add_kernel_op(softmax ${files})
