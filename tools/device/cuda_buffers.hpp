// Device copies of the tensors, with a pattern around each that shows writes out of bounds.
#pragma once

#include "device/cuda_harness.hpp"
#include "device/cuda_module.hpp"
#include "device/device.hpp"

namespace kernelloop {

class CudaBuffers {
 public:
  // Allocates, uploads the inputs and hashes their device copies. `tensors` must outlive this.
  CudaBuffers(const CudaDriver& driver, CudaHarness& harness,
              const std::vector<SharedTensor>& tensors, std::int64_t workspace_bytes);

  [[nodiscard]] CudaAddresses addresses() const;

  // Sets every byte of outputs and workspace; in stream order, does not wait.
  void poison(std::byte value);

  // The following wait for the stream. What was written around the tensors, as a fault.
  Fault damage();
  std::vector<std::string> changed_inputs();
  void download_outputs();

 private:
  struct Buffer {
    std::string name;
    std::size_t bytes = 0;
    CudaMemory memory;      // pattern, tensor, pattern
    CUdeviceptr data = 0;   // the tensor
    std::size_t total = 0;  // of all three
    std::uint64_t hash = 0;
  };
  void add(const std::string& name, std::size_t bytes);

  const CudaDriver& driver_;
  CudaHarness& harness_;
  const std::vector<SharedTensor>& tensors_;
  std::uint64_t seed_;
  std::vector<Buffer> buffers_;  // the tensors in order, then the workspace
};

}  // namespace kernelloop
