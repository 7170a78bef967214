// Measures the roofs of a GPU with kernels of its own.
#pragma once

#include "device/cuda_harness.hpp"
#include "device/roof.hpp"

#include <functional>

namespace kernelloop {

class CudaRoofs {
 public:
  // Loads the kernels. `harness` is prepared for timing and outlives this.
  CudaRoofs(const CudaDriver& driver, CUdevice device, CudaHarness& harness);

  // Memory: over buffers of `bytes` each, rounded down to 16. Arithmetic: in bursts of a
  // millisecond, before a power limit makes itself felt. The best median of the ways to do it.
  // Throws Error(environment) when memory is short, Error(internal) for fewer than 16 bytes.
  RoofValue measure(const Roof& roof, std::int64_t bytes);

 private:
  struct Stream;
  struct Pipe;
  RoofValue memory(const Stream& stream, std::size_t bytes);
  RoofValue driver_copy(std::size_t bytes);
  RoofValue pipe(const Pipe& pipe);
  RoofValue launch();
  // The kernel, or nullptr where this GPU has no such unit.
  [[nodiscard]] CUkernel find(const char* name) const;
  // Median of several samples of `enqueue`, cold; `value` is microseconds.
  RoofValue sample(const std::function<void()>& enqueue, bool flush);

  const CudaDriver& driver_;
  CUdevice device_;
  CudaHarness& harness_;
  CudaLibrary library_;
  unsigned int multiprocessors_ = 0;
  CudaMemory sink_;
};

}  // namespace kernelloop
