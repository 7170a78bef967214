// Device copies of the tensors, placed so that accesses out of bounds show.
#pragma once

#include "device/baseline_module.hpp"
#include "device/cuda_fence.hpp"
#include "device/cuda_harness.hpp"
#include "device/cuda_module.hpp"
#include "device/device.hpp"

#include <optional>

namespace kernelloop {

class CudaBuffers {
 public:
  // Allocates, uploads the inputs, hashes their device copies and closes fenced ones to stores.
  // Where the device cannot fence, margins take its place. `tensors` must outlive this. Another
  // copy of the same tensors, which no launch has seen yet, saves an upload.
  CudaBuffers(const CudaDriver& driver, CUdevice device, CudaHarness& harness,
              const std::vector<SharedTensor>& tensors, std::int64_t workspace_bytes,
              Placement placement, const CudaBuffers* copy = nullptr);

  [[nodiscard]] CudaAddresses addresses() const;
  [[nodiscard]] std::vector<BaselineTensor> for_baseline() const;
  // Of the tensors and of "workspace".
  [[nodiscard]] std::map<std::string, std::uint64_t> named_addresses() const;
  [[nodiscard]] Placement placement() const noexcept { return placement_; }
  // "read_only" when the device keeps every input from being written, else "hash".
  [[nodiscard]] const char* input_protection() const noexcept;

  // Sets every byte of outputs and workspace; in stream order, does not wait.
  void poison(const Poison& poison);

  // The following wait for the stream. What was written around the tensors, as a fault.
  Fault damage();
  std::vector<std::string> changed_inputs();
  // Equal only for equal outputs, whatever their addresses.
  std::uint64_t hash_of_outputs(std::uint64_t seed);
  void download_outputs();

 private:
  struct Range {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
  };
  struct Buffer {
    std::string name;
    std::size_t bytes = 0;
    CudaMemory memory;               // what holds the tensor, or
    std::optional<CudaFence> fence;  // this
    CUdeviceptr data = 0;            // the tensor
    Range before;                    // pattern that ends where the tensor begins
    Range behind;                    // pattern that begins where it ends
    std::uint64_t hash = 0;
  };
  void add(const std::string& name, std::size_t bytes, std::size_t alignment);
  void place_in_margins(Buffer& buffer, std::size_t alignment) const;
  void place_at_fence(Buffer& buffer, std::size_t alignment) const;
  void close_inputs();
  // The pattern's bytes as they are now.
  [[nodiscard]] std::vector<std::byte> read(const Range& range) const;

  const CudaDriver& driver_;
  CUdevice device_;
  CudaHarness& harness_;
  const std::vector<SharedTensor>& tensors_;
  Placement placement_;
  bool read_only_ = false;
  std::uint64_t seed_;
  std::vector<Buffer> buffers_;  // the tensors in order, then the workspace
};

}  // namespace kernelloop
