// Makes preprocessed CUDA C++ into C++: shared variables, the words of kernels, and for each kernel
// what the host needs to call it. Lines stay where they are, so that messages fit the original.
#pragma once

#include "cpu/preprocessed.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct RewrittenSource {
  std::string text;
  std::vector<std::string> kernels;  // extern "C" __global__ functions, in order
};

// The marker of kernel k's record (runtime/kernel_entry.hpp) in the built file. `key` is unknown to
// whoever wrote the source: a hash of it.
std::string record_marker(std::string_view key, std::size_t kernel);

RewrittenSource rewrite_cuda(std::string_view text, const PreprocessedText& tokens,
                             std::string_view key);

}  // namespace kernelloop
