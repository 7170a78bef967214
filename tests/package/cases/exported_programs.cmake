# The programs as imported targets: built as targets, installed, moved, found by a consumer that
# has none of the libraries they stand on, and named by nothing but the package.
set(copy "${case_dir}/copy")
foreach(
  part
  IN
  ITEMS CMakeLists.txt cmake include schemas ops references
)
  file(COPY "${KERNELLOOP_SOURCE_DIR}/${part}" DESTINATION "${copy}")
endforeach()
# Small programs of the same names, in place of the real ones: they start the stand-ins.
file(COPY "${KERNELLOOP_SOURCE_DIR}/tools/languages/adapters" DESTINATION "${copy}/tools/languages")
file(COPY "${KERNELLOOP_SOURCE_DIR}/tools/launchers" DESTINATION "${copy}/tools")
file(
  WRITE "${copy}/tools/program.cpp"
  "#include <unistd.h>\nint main(int, char** argv) { execv(STAND_IN, argv); return 127; }\n"
)
file(
  WRITE "${copy}/tools/CMakeLists.txt"
  "foreach(program IN ITEMS kernelloop kernelloop-device)
  add_executable(\${program} program.cpp)
  target_link_libraries(\${program} PRIVATE kernelloop_settings)
  target_compile_definitions(\${program} PRIVATE STAND_IN=\"${fake_dir}/\${program}\")
endforeach()\n"
)
set(project_build "${case_dir}/kernelloop")
foreach(
  step
  IN
  ITEMS
    "-G;Ninja;-S;${copy};-B;${project_build};-DCMAKE_CXX_COMPILER=${CXX};-DBUILD_TESTING=OFF;-DKERNELLOOP_DEVICE=cpu"
    "--build;${project_build}"
    "--install;${project_build};--prefix;${case_dir}/first"
)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" ${step}
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
    RESULT_VARIABLE result
  )
  if(NOT result EQUAL 0)
    fail("${step}\n${output}")
  endif()
endforeach()
file(RENAME "${case_dir}/first" "${case_dir}/second")
file(GLOB_RECURSE cmake_files "${case_dir}/second/*.cmake")
foreach(file IN LISTS cmake_files)
  file(READ "${file}" text)
  foreach(
    library
    IN
    ITEMS nlohmann fmt CLI11 CURL OpenSSL Threads
  )
    expect_no_text("${text}" "${library}::")
  endforeach()
endforeach()

set(without "")
foreach(
  library
  IN
  ITEMS nlohmann_json fmt CLI11 CURL OpenSSL
)
  list(APPEND without -DCMAKE_DISABLE_FIND_PACKAGE_${library}=ON)
endforeach()
consume(
  find_package
  "-DCMAKE_PREFIX_PATH=${case_dir}/second"
  -DKERNELLOOP_TOOL=
  -DKERNELLOOP_DEVICE_TOOL=
  --no-warn-unused-cli
  ${without}
)
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" device_tool)
expect_equal("${value}" "${case_dir}/second/bin/kernelloop-device")

# The same as targets of a subdirectory: `all` builds them where the tests need them, and only there.
set(KERNELLOOP_SOURCE_DIR "${copy}")
consume(add_subdirectory -DKERNELLOOP_TOOL= -DKERNELLOOP_DEVICE_TOOL=)
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" device_tool)
expect_equal("${value}" "${build_dir}/kernelloop-build/bin/kernelloop-device")
