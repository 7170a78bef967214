// Is what ships what was verified?
#pragma once

#include "config/op_config.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// Whether the op has ever had an adopted version, as far as its files tell: adopted.json, or
// evidence, which nothing but an adoption writes.
bool was_adopted(const OpConfig& config);

// What is wrong, each one line with the remedy; empty when every adopted version of the op is the
// source that was verified, its evidence is the file that was written, and the rules are today's,
// and where nothing was ever adopted. A broken or lost adopted.json is a line here, too.
std::vector<std::string> provenance_problems(const OpConfig& config);

}  // namespace kernelloop
