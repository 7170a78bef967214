// The worker's main loop.
#pragma once

#include "device/system_call_filter.hpp"
#include "support/descriptor.hpp"

#include <string>

namespace kernelloop {

// Answers requests from `channel` for a device of `kind` until the channel closes or a fault makes
// the process unfit to go on. Returns the exit code. Once the device is there, it can start other
// programs no more, unless those are allowed.
int serve_worker(const std::string& kind, Descriptor channel, OtherPrograms programs);

}  // namespace kernelloop
