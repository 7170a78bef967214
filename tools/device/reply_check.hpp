// Whether what a reply says fits what was asked. The process that wrote it holds a candidate's
// code, so that a reply can be well-formed and yet not the worker's.
#pragma once

#include "device/worker_client.hpp"

namespace kernelloop {

// Throw Error(internal) when the result names tensors, sets or variants that the request has not,
// or holds times that are none.
void check_reply(const RunResult& result, const RunRequest& request);
void check_reply(const TimeResult& result, const TimeRequest& request);

}  // namespace kernelloop
