// What puts a plan's work on its buffers into the harness's stream, again and again.
#pragma once

#include "device/fault.hpp"

#include <cstddef>
#include <functional>

namespace kernelloop {

struct CudaLaunches {
  std::function<Fault()> enqueue;  // up to the first launch that is refused; does not wait
  std::size_t operations = 1;      // how many it puts into the stream, or a guess
  bool recordable = true;          // a graph may be made of it
};

}  // namespace kernelloop
