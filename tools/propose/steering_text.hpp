// The part of a prompt that tells what the person who steers has written and decided.
#pragma once

#include "config/op_config.hpp"

#include <string>

namespace kernelloop {

// Hints (hints.md), rejected versions with their reasons, and the notes that stand with versions
// below `version` (<generated>/<op>/vNNN/feedback.md), newest first, up to 6 KiB. Empty where there
// is nothing.
std::string steering_text(const OpConfig& config, int version);

}  // namespace kernelloop
