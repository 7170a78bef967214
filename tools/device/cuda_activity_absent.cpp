#include "device/cuda_activity.hpp"

namespace kernelloop {

ActivityResult record_activity(int, const std::function<double(const ActivityBracket&)>&) {
  ActivityResult result;
  result.reason = "this program was built without CUPTI's headers";
  return result;
}

}  // namespace kernelloop
