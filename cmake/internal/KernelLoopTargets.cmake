# How the project builds its own libraries, programs and tests.
include_guard(GLOBAL)

# ON in the presets that we work with; a compiler that we do not know must not stop a user's build.
option(KERNELLOOP_WARNINGS_AS_ERRORS "Treat warnings in KernelLoop's own code as errors" OFF)
mark_as_advanced(KERNELLOOP_WARNINGS_AS_ERRORS)

add_library(kernelloop_settings INTERFACE)
target_compile_features(kernelloop_settings INTERFACE cxx_std_20)
target_include_directories(kernelloop_settings INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/tools")
target_include_directories(
  kernelloop_settings
  SYSTEM
  INTERFACE "${KERNELLOOP_VALIJSON_INCLUDE_DIR}" "${KERNELLOOP_XXHASH_INCLUDE_DIR}"
)
kernelloop_choose_library(_kernelloop_fmt fmt::fmt kernelloop_fmt)
target_link_libraries(
  kernelloop_settings
  INTERFACE nlohmann_json::nlohmann_json ${_kernelloop_fmt} CLI11::CLI11 Threads::Threads
)
unset(_kernelloop_fmt)
target_compile_options(
  kernelloop_settings
  INTERFACE
    -Wall
    -Wextra
    -Wpedantic
    -Wshadow
    -Wnon-virtual-dtor
    # Optimising, GCC 12 sees overlaps and bounds in std::string that are none (its bug 105651).
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>"
    $<$<BOOL:${KERNELLOOP_WARNINGS_AS_ERRORS}>:-Werror>
)

# What CMake builds for others (references, what kernels and tests load) stays as a user has it, so
# that the tests see the same there.
option(
  KERNELLOOP_SANITIZE
  "Build KernelLoop's own programs and tests with AddressSanitizer and UndefinedBehaviorSanitizer"
  OFF
)
mark_as_advanced(KERNELLOOP_SANITIZE)
if(KERNELLOOP_SANITIZE)
  target_compile_options(
    kernelloop_settings
    INTERFACE
      -fsanitize=address,undefined
      -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer
      # A quarter of the build's time: a null pointer faults under AddressSanitizer as well, and the
      # sizes of objects are known to an optimiser only.
      -fno-sanitize=null,object-size,vptr
  )
  target_link_options(kernelloop_settings INTERFACE -fsanitize=address,undefined)
endif()

# kernelloop_share_headers(<target> OWNER <target> HEADERS <header>...)
#
# Compiles the heavy headers once: for the target OWNER, which the others of its kind reuse. Most of
# a build's time goes into them otherwise.
function(kernelloop_share_headers target)
  cmake_parse_arguments(PARSE_ARGV 1 shared "" "OWNER" "HEADERS")
  if(target STREQUAL shared_OWNER)
    target_precompile_headers(${target} PRIVATE ${shared_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM ${shared_OWNER})
  endif()
endfunction()

# kernelloop_add_part(<name> SOURCES <file>... [LIBRARIES <target>...])
#
# A static library `kernelloop_<name>` of the tools.
function(kernelloop_add_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "" "SOURCES;LIBRARIES")
  add_library(kernelloop_${name} STATIC ${part_SOURCES})
  target_link_libraries(kernelloop_${name} PUBLIC kernelloop_settings ${part_LIBRARIES})
  set_target_properties(
    kernelloop_${name}
    PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
  )
  kernelloop_share_headers(
    kernelloop_${name}
    OWNER kernelloop_support
    HEADERS
      <fmt/format.h>
      <nlohmann/json.hpp>
      <filesystem>
      <map>
      <memory>
      <optional>
      <string>
      <vector>
  )
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(kernelloop_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# kernelloop_embed_text(<target> <symbol> <file>)
#
# Makes the text of a file available in <target> as `extern const std::string_view <symbol>` in
# namespace kernelloop. The file is read when CMake configures, and again when it changes.
function(kernelloop_embed_text target symbol file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp")
  file(
    CONFIGURE
    OUTPUT "${output}"
    CONTENT
      "#include <string_view>\nnamespace kernelloop {\nextern const std::string_view ${symbol};\nconst std::string_view ${symbol} = R\"kernelloop(@text@)kernelloop\";\n}\n"
    @ONLY
  )
  target_sources(${target} PRIVATE "${output}")
endfunction()

# kernelloop_embed_texts(<target> <function> <file>...)
#
# The same for several files: `EmbeddedTexts <function>()` (support/embedded_texts.hpp), in the order given.
function(kernelloop_embed_texts target function)
  set(entries "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    cmake_path(GET file STEM name)
    file(READ "${file}" text)
    string(APPEND entries "{\"${name}\", R\"kernelloop(${text})kernelloop\"},\n")
  endforeach()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  file(
    CONFIGURE
    OUTPUT "${output}"
    CONTENT
      "#include \"support/embedded_texts.hpp\"\n#include <array>\nnamespace kernelloop {\nEmbeddedTexts ${function}();\nEmbeddedTexts ${function}() {\nstatic constexpr auto k_texts = std::to_array<EmbeddedText>({\n@entries@});\nreturn k_texts;\n}\n}\n"
    @ONLY
  )
  target_sources(${target} PRIVATE "${output}")
endfunction()

# kernelloop_add_kernels(<name>.cu USER <file>.cpp IMAGE <macro> [DEPENDS <header>...] [CODE <gencode>...])
#
# Builds our own kernels with nvcc, for the source file USER of this directory, which embeds them
# (device/embedded_image.hpp): it sees the path of the image as the macro's value.
function(kernelloop_add_kernels source)
  cmake_parse_arguments(PARSE_ARGV 1 kernels "" "USER;IMAGE" "DEPENDS;CODE")
  if(NOT kernels_CODE)
    # PTX that every GPU the toolkit knows can translate, and code for the one that we measure most.
    set(kernels_CODE arch=compute_75,code=compute_75 arch=compute_90,code=sm_90)
  endif()
  list(TRANSFORM kernels_CODE PREPEND "-gencode=")
  cmake_path(GET source STEM name)
  set(image "${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin")
  add_custom_command(
    OUTPUT "${image}"
    COMMAND
      "${CUDAToolkit_NVCC_EXECUTABLE}" -fatbin -std=c++17 -ccbin "${CMAKE_CXX_COMPILER}" -I
      "${PROJECT_SOURCE_DIR}/tools" ${kernels_CODE} -o "${image}"
      "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
    DEPENDS "${source}" ${kernels_DEPENDS}
    COMMENT "Building ${source}"
    VERBATIM
  )
  set_source_files_properties(
    "${kernels_USER}"
    PROPERTIES OBJECT_DEPENDS "${image}" COMPILE_DEFINITIONS "${kernels_IMAGE}=\"${image}\""
  )
endfunction()

# kernelloop_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...])
#
# A GoogleTest program `<name>` whose tests CTest discovers before it runs them.
function(kernelloop_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LIBRARIES;LABELS")
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  kernelloop_share_headers(
    ${name}
    OWNER support_test
    HEADERS
      <fmt/format.h>
      <gmock/gmock.h>
      <gtest/gtest.h>
      <nlohmann/json.hpp>
      <filesystem>
      <string>
      <vector>
  )
  gtest_discover_tests(
    ${name}
    TEST_PREFIX "${name}."
    DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "${test_LABELS}" TIMEOUT 300
  )
endfunction()
