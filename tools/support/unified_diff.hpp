// What changed between two texts.
#pragma once

#include <string>

namespace kernelloop {

// A unified diff by the diff program, "no difference\n" where the texts are the same. Where this
// machine has no diff, a line that says so and names the package. Throws Error(environment) when
// diff fails.
std::string unified_diff(const std::string& before, const std::string& after,
                         const std::string& before_name, const std::string& after_name);

}  // namespace kernelloop
