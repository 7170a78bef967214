// How the process of a worker is confined on this machine.
#pragma once

#include "device/worker_process.hpp"

#include <string>

namespace kernelloop {

// Fills in the sandbox of a worker that is about to be started, by its other members, and returns
// in words what it comes to: "bubblewrap (...)", or "no bubblewrap (why): ...". Whether bubblewrap
// works costs as much as a worker's start, so that it need not be proved before one has failed.
// Throws Error(environment) where KERNELLOOP_SANDBOX requires a sandbox that cannot be had.
std::string confine_worker(WorkerStart& start, SandboxProof proof = SandboxProof::there);

}  // namespace kernelloop
