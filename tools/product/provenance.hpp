// Is what ships what was verified?
#pragma once

#include "config/op_config.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// What is wrong, each one line with the remedy; empty when every adopted version of the op is the
// source that was verified, its evidence is the file that was written, and the rules are today's.
// A broken adopted.json is a line here, too.
std::vector<std::string> provenance_problems(const OpConfig& config);

}  // namespace kernelloop
