#include "config/gpu_slot.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <string_view>

namespace kernelloop {

std::string ctest_id(const std::string& uuid) {
  std::string id = lower_case(uuid);
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
}

std::string allocated_gpu(const std::function<std::string(const std::string&)>& environment) {
  // "id:gpu_01ab_...,slots:1"; of several the first.
  const std::string text = environment("CTEST_RESOURCE_GROUP_0_GPUS");
  constexpr std::string_view k_begin = "id:gpu_";
  if (text.rfind(k_begin, 0) != 0) return {};
  std::string rest = text.substr(k_begin.size(), text.find(',') - k_begin.size());
  std::replace(rest.begin(), rest.end(), '_', '-');
  return "GPU-" + rest;
}

}  // namespace kernelloop
