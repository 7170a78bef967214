# KernelLoop: GPU operators as build targets.
#
# Including this file defines one public function,
#
#   add_kernel_op(<name> SPEC <file> REFERENCE <file> ...)
#
# (see kernelloop/add_kernel_op.cmake), the target properties KERNELLOOP_* and the imported target
# KernelLoop::headers. It changes no variable, flag, policy or global property of the project.
# find_package(KernelLoop), add_subdirectory and FetchContent all end up here.
include_guard(GLOBAL)

# Recorded by the functions below, so that they behave alike whatever the project has set. include()
# keeps it from the caller.
cmake_policy(VERSION 3.25...3.31)

include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_kernel_op.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_op_library.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_op_baselines.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_op_module.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_op_reference.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_op_steps.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_op_targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_op_tests.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/add_pools.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/check_languages.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/check_new_op.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/check_path.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/check_value.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/define_properties.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/finalize.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/find_program.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/find_toolkit.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/json_text.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/resolve_device.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/resolve_paths.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/version_name.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kernelloop/write_config.cmake")

_kernelloop_define_properties()

# kernelloop/reference.h for references, kernelloop/cpu/ for the CPU device. The package's config
# file says where they are installed; the source tree keeps them beside this directory.
add_library(KernelLoop::headers INTERFACE IMPORTED GLOBAL)
if(DEFINED KernelLoop_INCLUDE_DIR)
  target_include_directories(KernelLoop::headers INTERFACE "${KernelLoop_INCLUDE_DIR}")
else()
  cmake_path(SET _kernelloop_include NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../include")
  target_include_directories(KernelLoop::headers INTERFACE "${_kernelloop_include}")
  unset(_kernelloop_include)
endif()
# The notes on architectures and languages that every model may read, and the adapters of kernel
# languages, found in the same two ways.
if(DEFINED KernelLoop_NOTES_DIR)
  set(_kernelloop_notes "${KernelLoop_NOTES_DIR}")
  set(_kernelloop_adapters "${KernelLoop_NOTES_DIR}/../languages")
else()
  set(_kernelloop_notes "${CMAKE_CURRENT_LIST_DIR}/../context")
  set(_kernelloop_adapters "${CMAKE_CURRENT_LIST_DIR}/../tools/languages/adapters")
endif()
cmake_path(NORMAL_PATH _kernelloop_notes)
cmake_path(NORMAL_PATH _kernelloop_adapters)
set_target_properties(
  KernelLoop::headers
  PROPERTIES
    _KERNELLOOP_NOTES_DIR "${_kernelloop_notes}"
    _KERNELLOOP_ADAPTERS_DIR "${_kernelloop_adapters}"
)
unset(_kernelloop_notes)
unset(_kernelloop_adapters)
