# cmake -D CASE=<name> -D SCRIPT=<file> -D WORK_DIR=... -D KERNELLOOP_SOURCE_DIR=... -D CXX=...
#       -P run_case.cmake
cmake_policy(VERSION 3.25...3.31)
include("${CMAKE_CURRENT_LIST_DIR}/harness.cmake")
include("${SCRIPT}")
