// Our own kernels and the measuring equipment around a candidate's launches.
#pragma once

#include "device/cuda_objects.hpp"
#include "device/cuda_staging.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kernelloop {

// One timed span.
struct CudaSample {
  double microseconds = 0;
  double clock_mhz = 0;  // of a multiprocessor while it ran; 0 when it could not be told
};

class CudaHarness {
 public:
  // Loads the kernels.
  CudaHarness(const CudaDriver& driver, CUdevice device);

  // Before the first flush_l2() or time(): launches each kernel once, so that none is loaded while
  // a stream is held. Correctness runs do without it.
  void prepare_timing();

  [[nodiscard]] CUstream stream() const noexcept { return stream_.get(); }
  [[nodiscard]] CudaStaging& staging() noexcept { return staging_; }

  // Waits for the stream. The code is the candidate's when one of its launches was in it.
  [[nodiscard]] CUresult synchronize() const;

  // A 64-bit hash of device memory, the same only for the same bytes and seed.
  std::uint64_t hash(CUdeviceptr data, std::size_t bytes, std::uint64_t seed);

  // Leaves noise in shared and local memory, so that a kernel finds nothing there of an earlier
  // launch. In stream order, does not wait.
  void scrub();

  // Leaves nothing but the flush buffer in L2. By reading: a flush that writes would leave dirty
  // lines that whoever comes next has to write back. Ends synchronised.
  void flush_l2();

  // A held stream takes about a thousand operations before the host call blocks.
  static constexpr std::size_t k_most_held_operations = 500;

  // Times what `enqueue` puts into the stream, which must be idle. Of no more than
  // k_most_held_operations the stream is held until all is enqueued, so that no launch latency is
  // measured; longer sequences are timed as they are launched. `enqueue` returns false to give up
  // (no sample). Throws CudaFailure when the device reports an error.
  std::optional<CudaSample> time(std::size_t operations, const std::function<bool()>& enqueue);

  // Launches the kernel of that name with a fault in it and waits. Throws CudaFailure when the
  // device says so; without a tool that watches, it does not.
  void plant(const char* kernel);

  // Fills memory with numbers that have no pattern.
  void fill(CUdeviceptr data, std::size_t bytes);

 private:
  void launch(CUkernel kernel, unsigned int blocks, unsigned int threads, void** arguments) const;
  void stamp(std::size_t which) const;
  [[nodiscard]] double clock_between_stamps() const;
  void hold();
  CUkernel find(const char* name) const;

  const CudaDriver& driver_;
  unsigned int multiprocessors_ = 0;
  CudaStream stream_;
  CudaStaging staging_{driver_};
  CudaEvent begin_;
  CudaEvent end_;
  CudaLibrary library_;
  CUkernel hold_kernel_ = nullptr;
  CUkernel stamp_kernel_ = nullptr;
  CUkernel flush_kernel_ = nullptr;
  CUkernel hash_kernel_ = nullptr;
  CUkernel scrub_kernel_ = nullptr;
  unsigned int shared_bytes_ = 0;  // that a block can have
  std::uint64_t scrubs_ = 0;
  CUkernel fill_kernel_ = nullptr;
  CudaHostMemory flags_;  // int release, int expired
  CudaMemory stamps_;     // two times three words
  CudaMemory scratch_;    // a word for sums that nobody needs, and for the hash
  CudaMemory flush_buffer_;
  std::size_t flush_bytes_ = 0;
};

}  // namespace kernelloop
