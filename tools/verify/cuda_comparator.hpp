// The comparator of compare.hpp for an output that lies in device memory beside its reference:
// judging it costs no download. It takes the same metrics from the same definitions
// (element_error.hpp). Sums may differ from the CPU's in the last digits, and with them what is
// relative to the RMS of a slab. They are the same from run to run and on every GPU.
#pragma once

#include "device/cuda_objects.hpp"
#include "verify/compare.hpp"
#include "verify/cuda_comparator_parameters.hpp"

#include <cstdint>
#include <vector>

namespace kernelloop {

class CudaComparator {
 public:
  // An output in device memory. Addresses are aligned to the size of their elements.
  struct Output {
    DType type = DType::bfloat16;
    CUdeviceptr candidate = 0;  // elements of `type`
    CUdeviceptr reference = 0;  // doubles
    CUdeviceptr magnitude = 0;  // doubles (TermMagnitude); 0: not given
    std::vector<std::int64_t> shape;
  };
  struct Result {
    Metrics metrics;
    ReferenceScale scale;  // without slab_rms, which stays on the device; first_equal is not sought
  };

  // Loads the kernels into the current context; `driver` must outlive this. Throws CudaFailure when
  // the driver refuses, Error(environment) when there is no memory.
  explicit CudaComparator(const CudaDriver& driver);

  // Reads the output and its reference once, or the reference twice where a slab is longer than
  // k_longest_unit elements. Waits for the stream. Throws as above.
  Result compare(const Output& output, const ErrorModel& model, CUstream stream);

  // The two halves of it, for who wants to time the first: `enqueue` does not wait; `collect`
  // waits, and belongs to the last output that was enqueued.
  void enqueue(const Output& output, const ErrorModel& model, CUstream stream);
  Result collect(CUstream stream);

 private:
  [[nodiscard]] CUkernel find(const char* name) const;
  void measure_cut_slabs(CudaComparison& job, unsigned int blocks, CUstream stream);

  const CudaDriver& driver_;
  CudaLibrary library_;
  CudaMemory parts_;     // a CudaPart for each block
  CudaMemory units_;     // ScaleSums of each unit, where slabs are cut
  CudaMemory slab_rms_;  // likewise
  std::size_t units_bytes_ = 0;
  std::size_t slab_rms_bytes_ = 0;
  // Of the last output.
  unsigned int blocks_ = 0;
  ReferenceScale scale_;
};

}  // namespace kernelloop
