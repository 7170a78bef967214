// Outputs of real tools, recorded for these tests.
#pragma once

#include "support/files.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {

inline std::string recorded(const std::string& name) {
  return read_file(std::filesystem::path(COMPILE_TEST_DATA) / name);
}

}  // namespace kernelloop
