// GPUs as CTest's resource allocation knows them: by their UUID.
#pragma once

#include <functional>
#include <string>

namespace kernelloop {

// "GPU-01AB-..." as an id of a resource specification file, which takes small letters, digits and
// underscores: "gpu_01ab_...".
std::string ctest_id(const std::string& uuid);

// The UUID of the GPU that CTest gave to this test, by the variables that it sets; "" where it gave
// none, or one with an id that is not made by ctest_id.
std::string allocated_gpu(const std::function<std::string(const std::string&)>& environment);

}  // namespace kernelloop
