// By which op spec a version was judged, and whether that is today's.
#pragma once

#include "config/op_config.hpp"
#include "support/json.hpp"

#include <string>

namespace kernelloop {

// Which part of the op's spec has changed since `verdict` (a verify.json, or that member of an
// evidence file) was made: "contract" (what kernels see), "checks" (how they are judged), both, or
// nothing. A verdict without hashes is older than they are: nothing is said of it. Throws
// Error(bad_input) when there is no such spec any more.
std::string changed_since(const OpConfig& config, const Json& verdict);

}  // namespace kernelloop
