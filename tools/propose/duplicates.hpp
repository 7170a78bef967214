// Versions that were sent before, but for comments and layout.
#pragma once

#include "config/op_config.hpp"

#include "languages/language.hpp"

#include <string>

namespace kernelloop {

// The first version of an earlier round with this source; "" when there is none. Versions of the
// same round are not looked at: which of them is there yet depends on who is faster.
std::string earlier_twin(const OpConfig& config, int version, const std::string& source,
                         const Language& language);

}  // namespace kernelloop
