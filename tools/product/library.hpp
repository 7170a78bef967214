// The library that a C++ program links: sources generated from the adopted version.
#pragma once

#include "config/op_config.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct LibraryRequest {
  std::filesystem::path output_dir;  // receives <op>.h and <op>.cpp; created
  std::filesystem::path depfile;     // empty: none
};

// Compiles the adopted version (as the compile step would) for each architecture of the config that
// has one, and writes the header and the launcher with the images inside. Returns notes for the
// user, such as an architecture without an adopted version.
//
// Throws Error: check_failed when nothing is adopted or the adopted kernel was edited since;
// environment when there is no nvcc; bad_input when the version no longer compiles. Each message
// says which target to run. Nothing is written then.
std::vector<std::string> build_library(const OpConfig& config, const LibraryRequest& request);

}  // namespace kernelloop
