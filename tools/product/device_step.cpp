#include "product/device_step.hpp"

namespace kernelloop {

std::vector<std::string> device_step(const OpConfig& config, const std::string& step,
                                     const std::vector<std::string>& options) {
  std::vector<std::string> words = config.device_launcher;
  words.push_back(config.device_tool.string());
  words.push_back(step);
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

}  // namespace kernelloop
