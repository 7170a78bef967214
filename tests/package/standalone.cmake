# What PROGRAM needs on a host where it runs: no libraries but those of every distribution, and a C
# library no newer than MOST. READELF is the program of that name.
cmake_policy(VERSION 3.25...3.31)
execute_process(
  COMMAND "${READELF}" --wide --dynamic --version-info "${PROGRAM}"
  OUTPUT_VARIABLE text
  COMMAND_ERROR_IS_FATAL ANY
)
string(REGEX MATCHALL "Shared library: \\[[^]]*" libraries "${text}")
list(TRANSFORM libraries REPLACE "Shared library: \\[" "")
if(NOT "libc.so.6" IN_LIST libraries)
  message(FATAL_ERROR "no libraries were found in what ${READELF} says:\n${text}")
endif()
list(REMOVE_ITEM libraries libc.so.6 libm.so.6 libgcc_s.so.1 ld-linux-x86-64.so.2)
if(libraries)
  message(FATAL_ERROR "${PROGRAM} needs libraries that not every host has: ${libraries}")
endif()
string(REGEX MATCHALL "Name: GLIBC_[0-9.]+" versions "${text}")
list(TRANSFORM versions REPLACE "Name: GLIBC_" "")
set(highest 0)
foreach(version IN LISTS versions)
  if(version VERSION_GREATER highest)
    set(highest ${version})
  endif()
endforeach()
if(highest VERSION_EQUAL 0 OR highest VERSION_GREATER MOST)
  message(FATAL_ERROR "${PROGRAM} needs glibc ${highest}, but ${MOST} must do")
endif()
message("needs glibc ${highest} or newer, and libgcc_s")
