// What has happened in a loop since somebody last looked.
#pragma once

#include "config/op_config.hpp"

#include <map>
#include <string>
#include <vector>

namespace kernelloop {

class Progress {
 public:
  explicit Progress(const OpConfig& config) : config_(config) {}

  // One line for each thing that the steps have written since the last call, in the order of
  // versions and steps; the first call tells everything that is there. A file that is being
  // replaced is told of the next time.
  std::vector<std::string> news();

 private:
  const OpConfig& config_;
  std::map<std::string, std::string> told_;  // file -> the line that was told of it
};

}  // namespace kernelloop
