// The driver's codes in words that a model can act on.
#pragma once

#include "device/cuda_driver.hpp"
#include "device/worker_client.hpp"

namespace kernelloop {

// What a code that comes after a launch says about the candidate; FaultKind::none for codes that
// are not a candidate's doing (out of memory, ...).
FaultKind fault_kind_of(CUresult code);

// "in kernel 'k'", or "in one of the kernels 'a', 'b'".
std::string kernels_of(const ResolvedPlan& plan);

// The fault behind a code that came while a plan ran.
Fault fault_of(const CudaDriver& driver, CUresult code, const ResolvedPlan& plan);

// Runs something with a candidate's launches in it; a device error in there is the candidate's.
template <typename Action>
Fault guarded(const CudaDriver& driver, const ResolvedPlan& plan, Action action) {
  try {
    return action();
  } catch (const CudaFailure& failure) {
    if (fault_kind_of(failure.code()) == FaultKind::none) throw;
    return fault_of(driver, failure.code(), plan);
  }
}

// What the driver knows about a loaded kernel.
struct CudaKernelFacts {
  std::int64_t max_threads_per_block = 0;  // by its registers and launch bounds
  std::int64_t registers = 0;
  std::int64_t static_shared_bytes = 0;
};
struct CudaLimits {
  std::int64_t shared_bytes = 0;  // per block, with opt-in
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
};

// Why a launch cannot work on a device with these limits; empty when nothing speaks against it.
std::string launch_problem(const ResolvedLaunch& launch, const CudaKernelFacts& kernel,
                           const CudaLimits& limits);

// A launch that the driver refused, with what was asked for.
Fault refusal(const std::string& driver_words, CUresult code, const ResolvedLaunch& launch,
              const CudaKernelFacts& kernel);

}  // namespace kernelloop
