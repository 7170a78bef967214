// Records what the GPU does during launches, by CUPTI's activity interface.
#pragma once

#include "device/activity.hpp"

#include <functional>

namespace kernelloop {

// Calls what it is given, and takes what that puts into the stream for the candidate's.
using ActivityBracket = std::function<void(const std::function<void()>& launch)>;

// Calls `once` that often; it brackets the candidate's launches, waits for them and returns what
// they took by events, in microseconds. Kernels named "kernelloop_..." and what is copied or filled
// outside a bracket is the harness's own. Tracing costs a launch about 0.2 us, so this is no time
// to be believed; afterwards launches cost what they did before. What cannot be recorded here (no
// CUPTI, another tool that watches) is a reason in the result, never an error.
ActivityResult record_activity(int iterations,
                               const std::function<double(const ActivityBracket&)>& once);

}  // namespace kernelloop
