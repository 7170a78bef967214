# Programs that run on other hosts need nothing there but the C library and what every distribution
# has beside it (libgcc_s: one unwinder for the program and for what it loads). What else they stand
# on is in them.
include_guard(GLOBAL)

option(
  KERNELLOOP_STANDALONE_DEVICE
  "Link kernelloop-device with all that it needs but the C library, so that it runs on other distributions"
  ON
)
mark_as_advanced(KERNELLOOP_STANDALONE_DEVICE)

find_library(KERNELLOOP_CRYPTO_ARCHIVE libcrypto.a)
mark_as_advanced(KERNELLOOP_CRYPTO_ARCHIVE)

# kernelloop_choose_library(<out> <shared> <inside>)
#
# For a part's libraries: <inside> where a standalone program is linked with the part, else <shared>.
function(kernelloop_choose_library out shared inside)
  set(standalone "$<BOOL:$<TARGET_PROPERTY:KERNELLOOP_STANDALONE>>")
  set(${out} "$<IF:${standalone},${inside},${shared}>" PARENT_SCOPE)
endfunction()

# kernelloop_make_standalone(<target>)
#
# Has the program hold what it needs, unless that is switched off or the archives are missing.
function(kernelloop_make_standalone target)
  if(NOT KERNELLOOP_STANDALONE_DEVICE OR KERNELLOOP_SANITIZE)
    return()
  endif()
  if(NOT KERNELLOOP_CRYPTO_ARCHIVE)
    message(
      STATUS
      "KernelLoop: no libcrypto.a; ${target} needs libcrypto, fmt and libstdc++ wherever it runs"
    )
    return()
  endif()
  set_target_properties(${target} PROPERTIES KERNELLOOP_STANDALONE ON)
  target_link_options(${target} PRIVATE -static-libstdc++)
  set(source "${PROJECT_SOURCE_DIR}/tools/device/older_libc.cpp")
  target_sources(${target} PRIVATE "${source}")
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
