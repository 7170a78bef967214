// Lets the next build look again at a loop that has stopped.
#pragma once

#include "config/op_config.hpp"

namespace kernelloop {

// The stamp's time is what Ninja sees: every propose step looks again, for versions written by hand
// after a stop and for settings that lift it. Versions that are there are asked for by nobody.
// Throws Error(io).
void touch_resume(const OpConfig& config);

}  // namespace kernelloop
