#include "device/cuda_counters.hpp"

namespace kernelloop {

CounterResult count_events(const std::vector<std::string>&, const std::function<void()>&,
                           const std::function<void()>&) {
  CounterResult result;
  result.reason = "this program was built without CUPTI's headers";
  return result;
}

void load_counters() {}

}  // namespace kernelloop
