// Device memory that is surrounded by addresses at which nothing is mapped.
#pragma once

#include "device/cuda_driver.hpp"

#include <cstddef>

namespace kernelloop {

// Whole granules of device memory in an address range of their own, which goes on for at least
// k_hole bytes on either side without memory: an access there faults at once. Its destructor
// ignores errors, as those of all owners here do.
class CudaFence {
 public:
  static constexpr std::size_t k_hole = std::size_t{16} << 20;  // address space, no memory

  // The unit of mappings on this device, in bytes. Throws CudaFailure.
  static std::size_t granularity(const CudaDriver& driver, CUdevice device);

  // `bytes` is a multiple of the granularity. Readable and writable at first. Throws
  // Error(environment) when the device has too little memory, CudaFailure for other reasons.
  CudaFence(const CudaDriver& driver, CUdevice device, std::size_t bytes);
  ~CudaFence();
  CudaFence(CudaFence&& other) noexcept;
  CudaFence& operator=(CudaFence&&) = delete;
  CudaFence(const CudaFence&) = delete;
  CudaFence& operator=(const CudaFence&) = delete;

  [[nodiscard]] CUdeviceptr data() const noexcept { return mapped_; }

  // From here on a store of the device faults. False when the driver cannot do that; the memory
  // stays writable then. What is under way in a stream must have ended.
  bool make_read_only();

 private:
  [[nodiscard]] CUresult set_access(CUmemAccess_flags flags) const;
  void release() noexcept;

  const CudaDriver* driver_;
  CUdevice device_;
  std::size_t bytes_;
  std::size_t reserved_ = 0;
  CUdeviceptr range_ = 0;
  CUdeviceptr mapped_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  bool created_ = false;
  bool is_mapped_ = false;
};

}  // namespace kernelloop
