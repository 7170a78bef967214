// Reads what the kernels of a built shared object are from its bytes, without loading it: a
// candidate's static initialisers must not run in a tool.
#pragma once

#include "plan/launch_plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// `library` is the file's content, `names` and `key` as given to and by rewrite_cuda. Throws
// Error(internal) when a record is missing.
KernelTable read_kernel_records(std::string_view library, const std::vector<std::string>& names,
                                std::string_view key);

}  // namespace kernelloop
