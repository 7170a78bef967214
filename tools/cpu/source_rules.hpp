// What the source of a version may not say to the host compiler, whatever it says to nvcc: words
// that move code or data to other places, that make functions run by themselves or go by other
// names, that switch off a sanitizer, or that reach into the emulation layer.
//
// What these rules leave open is closed in the built file (module_rules.hpp).
#pragma once

#include "cpu/broken_rule.hpp"
#include "cpu/preprocessed.hpp"

#include <vector>

namespace kernelloop {

// Attributes and pragmas that are not among those kernels need, names of the emulation layer, and
// builtins that read or change the state of the processor. In order, each word once.
std::vector<BrokenRule> broken_source_rules(const PreprocessedText& source);

}  // namespace kernelloop
