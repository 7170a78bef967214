# Like tests/cmake/run_case.cmake, with consume() beside the harness.
cmake_policy(VERSION 3.25...3.31)
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/harness.cmake")
set(package_tests_dir "${CMAKE_CURRENT_LIST_DIR}")
include("${CMAKE_CURRENT_LIST_DIR}/consume.cmake")
include("${SCRIPT}")
