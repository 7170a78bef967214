# _kernelloop_add_op_reference(<op> <source>)
#
# The module <op>_reference.
function(_kernelloop_add_op_reference op source)
  _kernelloop_add_op_module(${op} ${op}_reference REFERENCE "${source}")
  if(NOT source MATCHES "\\.cu$" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    # kernelloop/reference.h starts threads.
    target_compile_options(${op}_reference PRIVATE -pthread)
    target_link_options(${op}_reference PRIVATE -pthread)
  endif()
  set_target_properties(
    ${op}_reference
    PROPERTIES OUTPUT_NAME reference LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/kernelloop/${op}"
  )
endfunction()
