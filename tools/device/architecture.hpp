// Which of a version's cubins a GPU runs.
#pragma once

#include <string>
#include <vector>

namespace kernelloop {

// The best of `built` ("80", "90a", "100f": as nvcc's code=sm_... without the sm_) for a GPU of
// `device` ("sm_90"), or "" when it can run none. Code for a plain X.Y and for a family (f) runs on
// X.Z with Z >= Y; architecture-specific code (a) on X.Y alone. The specific is preferred, then the
// nearest below.
std::string architecture_for(const std::string& device, const std::vector<std::string>& built);

}  // namespace kernelloop
