// What a step has read, in a rule of make, for Ninja.
#pragma once

#include <filesystem>
#include <vector>

namespace kernelloop {

// Writes "output: inputs" with blanks, '#' and '$' escaped, if it changed. There must be an input:
// a rule without any is lost on its way through CMake, and Ninja would run the step at every build.
void write_depfile(const std::filesystem::path& depfile, const std::filesystem::path& output,
                   const std::vector<std::filesystem::path>& inputs);

}  // namespace kernelloop
