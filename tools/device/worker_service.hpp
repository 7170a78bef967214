// The worker's main loop.
#pragma once

#include "support/descriptor.hpp"

#include <string>

namespace kernelloop {

// Answers requests from `channel` for a device of `kind` until the channel closes or a fault makes
// the process unfit to go on. Returns the exit code.
int serve_worker(const std::string& kind, Descriptor channel);

}  // namespace kernelloop
