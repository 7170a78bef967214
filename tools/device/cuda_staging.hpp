// Copies of large tensors between ordinary host memory and a GPU.
#pragma once

#include "device/cuda_objects.hpp"
#include "support/crew.hpp"

#include <array>
#include <cstddef>
#include <memory>

namespace kernelloop {

// The driver copies ordinary memory with one core, at a tenth of what the bus can do. Here several
// cores fill one half of some pinned memory while the bus empties the other.
class CudaStaging {
 public:
  // Takes no memory and starts no thread before the first large copy.
  explicit CudaStaging(const CudaDriver& driver) : driver_(driver) {}

  // In the order of the stream; `from` may change as soon as this returns. Throws CudaFailure.
  void upload(CUdeviceptr to, const std::byte* from, std::size_t bytes, CUstream stream);
  // What is there after all that the stream holds; waits for it. Throws CudaFailure.
  void download(std::byte* to, CUdeviceptr from, std::size_t bytes, CUstream stream);

 private:
  struct Half {
    CudaHostMemory memory;
    CudaEvent copied;  // the last copy from or to the device that used it
    bool used = false;
    [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(memory.get()); }
  };

  void prepare();
  void copy(std::byte* to, const std::byte* from, std::size_t bytes);
  void wait(const Half& half) const;
  void record(Half& half, CUstream stream) const;

  const CudaDriver& driver_;
  std::array<Half, 2> halves_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace kernelloop
