// Runs a traced build so that its kernels record (include/kernelloop/trace.cuh).
#pragma once

#include "device/cuda_harness.hpp"
#include "device/cuda_module.hpp"
#include "device/worker_client.hpp"

#include <vector>

namespace kernelloop {

class CudaTracer {
 public:
  // The buffer is one of `addresses`. All must outlive this.
  CudaTracer(const CudaDriver& driver, CudaHarness& harness, const CudaModule& module,
             const TraceBuffer& trace, const CudaAddresses& addresses);

  // Launches without recording until everything is loaded; times a plan of one launch while it
  // records, into `traced_us`; then clears the buffer and records every launch. Waits for the
  // stream. load_failed: the module has no trace. Throws CudaFailure for what happens on the
  // device.
  Fault run(const std::vector<CudaCall>& calls, std::vector<double>& traced_us);

 private:
  // Makes the next launch record into the regions of launch `index`; stream-ordered.
  void aim(std::size_t index);
  // Makes further launches record nothing; stream-ordered.
  void aim_nowhere();

  const CudaDriver& driver_;
  CudaHarness& harness_;
  const CudaModule& module_;
  const TraceLayout& layout_;
  CUdeviceptr buffer_;
  CUdeviceptr target_;  // 0: none
};

}  // namespace kernelloop
