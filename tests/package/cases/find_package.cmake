# By find_package from an installation, with the stand-in programs. The package is moved after it
# was installed, so that no path of the build is left in it.
set(project_build "${case_dir}/kernelloop")
execute_process(
  COMMAND
    "${CMAKE_COMMAND}" -G Ninja -S "${KERNELLOOP_SOURCE_DIR}" -B "${project_build}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DKERNELLOOP_TOOL=${fake_dir}/kernelloop"
    "-DKERNELLOOP_DEVICE_TOOL=${fake_dir}/kernelloop-device" -DBUILD_TESTING=OFF
    "-DCMAKE_INSTALL_PREFIX=${case_dir}/first" -DKERNELLOOP_DEVICE=cpu
  OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY
)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${project_build}"
  OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY
)
file(RENAME "${case_dir}/first" "${case_dir}/second")
file(GLOB_RECURSE installed "${case_dir}/second/*")
foreach(file IN LISTS installed)
  file(READ "${file}" text)
  foreach(path IN ITEMS "${KERNELLOOP_SOURCE_DIR}" "${case_dir}/first" "${project_build}")
    string(FIND "${text}" "${path}" position)
    if(NOT position EQUAL -1)
      fail("${file} names ${path}")
    endif()
  endforeach()
endforeach()
consume(find_package "-DCMAKE_PREFIX_PATH=${case_dir}/second")
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" notes_dir)
expect_equal("${value}" "${case_dir}/second/share/kernelloop/context")
if(NOT EXISTS "${value}/sm_90a.md")
  fail("the notes are not installed: ${value}")
endif()
