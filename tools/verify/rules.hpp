// The number of the verification rules. Raise it when a verdict could change for the same version:
// new gates, limits, shapes or input families. CMake puts it on the command line of every verify
// step, so that raising it verifies again.
#pragma once

namespace kernelloop {

inline constexpr int k_verification_rules = 11;

}  // namespace kernelloop
