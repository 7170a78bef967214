// What a built version may bring along besides its kernels: nothing that outlives a launch, no code
// that runs by itself, and no function of the host but arithmetic. Read from the file's bytes; a
// candidate must not run in a tool.
#pragma once

#include "cpu/broken_rule.hpp"
#include "cpu/preprocessed.hpp"

#include <string_view>
#include <vector>

namespace kernelloop {

// `library` is the content of a shared object built from `source`, `sanitized` as
// CpuBuildRequest::sanitize. Throws Error(internal) when it is no ELF file with symbols.
std::vector<BrokenRule> broken_module_rules(std::string_view library,
                                            const PreprocessedText& source, bool sanitized);

}  // namespace kernelloop
