// Programs and libraries of the CUDA toolkit.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// Where a toolkit may stand: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda. They need not exist.
std::vector<std::filesystem::path> toolkit_roots();

// A program of the toolkit: beside `neighbour` (an nvcc, say; may be empty), from PATH, else from
// the `bin` of a toolkit root. Empty when there is none.
std::filesystem::path find_toolkit_program(const std::string& name,
                                           const std::filesystem::path& neighbour = {});

// "2025.3.1.0", what `program --version` says of itself behind "Version "; empty when it does not
// run, or does not name `title` there.
std::string toolkit_program_version(const std::filesystem::path& program, std::string_view title);

}  // namespace kernelloop
