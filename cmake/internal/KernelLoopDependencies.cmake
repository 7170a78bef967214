# The libraries that the tools stand on: an existing target first, then find_package, then
# FetchContent. Sets no variable that a parent project would see.
include_guard(GLOBAL)
include(FetchContent)

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(CURL REQUIRED)
# The first version with RETURNING; FTS5 is part of every distribution's build.
find_package(SQLite3 3.35 REQUIRED)

if(NOT TARGET nlohmann_json::nlohmann_json)
  FetchContent_Declare(
    nlohmann_json
    SYSTEM
    URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    FIND_PACKAGE_ARGS 3.10
  )
  FetchContent_MakeAvailable(nlohmann_json)
endif()
# As a library, not header-only: that costs every file of a build a second.
if(NOT TARGET fmt::fmt)
  FetchContent_Declare(
    fmt
    SYSTEM
    URL https://github.com/fmtlib/fmt/releases/download/9.1.0/fmt-9.1.0.zip
    FIND_PACKAGE_ARGS 9
  )
  FetchContent_MakeAvailable(fmt)
endif()
if(NOT TARGET CLI11::CLI11)
  FetchContent_Declare(
    CLI11
    SYSTEM
    URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
    FIND_PACKAGE_ARGS 2.1
  )
  FetchContent_MakeAvailable(CLI11)
endif()
# valijson and xxhash are header-only and ship no package config on Debian.
find_path(KERNELLOOP_VALIJSON_INCLUDE_DIR valijson/validator.hpp REQUIRED)
find_path(KERNELLOOP_XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
mark_as_advanced(KERNELLOOP_VALIJSON_INCLUDE_DIR KERNELLOOP_XXHASH_INCLUDE_DIR)
