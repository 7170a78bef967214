// What a version does that a version may not do.
#pragma once

#include <cstddef>
#include <string>

namespace kernelloop {

struct BrokenRule {
  std::string message;
  std::size_t line = 0;  // in the source; 0 when unknown
};

}  // namespace kernelloop
