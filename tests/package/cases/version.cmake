# The package says which versions it can stand for: before 1.0 a minor version is a new surface.
set(project_build "${case_dir}/kernelloop")
execute_process(
  COMMAND
    "${CMAKE_COMMAND}" -G Ninja -S "${KERNELLOOP_SOURCE_DIR}" -B "${project_build}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DKERNELLOOP_TOOL=${fake_dir}/kernelloop"
    "-DKERNELLOOP_DEVICE_TOOL=${fake_dir}/kernelloop-device" -DBUILD_TESTING=OFF
    "-DCMAKE_INSTALL_PREFIX=${case_dir}/prefix" -DKERNELLOOP_DEVICE=cpu
  OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY
)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${project_build}"
  OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY
)
foreach(pair IN ITEMS 0.1=TRUE 0.0=FALSE 0.2=FALSE 1.0=FALSE)
  string(REGEX MATCH "^(.*)=(.*)$" matched "${pair}")
  file(
    WRITE "${source_dir}/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.25)\nproject(version LANGUAGES NONE)\n"
    "find_package(KernelLoop ${CMAKE_MATCH_1} QUIET)\n"
    "if((KernelLoop_FOUND AND NOT ${CMAKE_MATCH_2}) OR (${CMAKE_MATCH_2} AND NOT KernelLoop_FOUND))\n"
    "  message(FATAL_ERROR \"${pair}: found is \${KernelLoop_FOUND}\")\nendif()\n"
  )
  configure("-DCMAKE_PREFIX_PATH=${case_dir}/prefix" --no-warn-unused-cli)
endforeach()
