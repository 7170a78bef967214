// A cubin that is fit to be given to the driver.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct CubinFile {
  std::vector<char> bytes;  // followed by zeroed pages: the driver reads past the end
  std::string problem;      // why it must not be loaded; empty when it may
};

// Never throws for a bad file: that is the candidate's or the build's problem and becomes a fault.
CubinFile read_cubin(const std::filesystem::path& path);

}  // namespace kernelloop
