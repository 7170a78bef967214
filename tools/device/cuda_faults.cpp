#include "device/cuda_faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kernelloop {
namespace {

constexpr const char* k_axis_names = "xyz";

std::int64_t product(const std::array<std::int64_t, 3>& size) {
  return size[0] * size[1] * size[2];
}

std::string words_for(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "an access to memory that is not allocated (out of bounds, or a wild pointer)";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "an access whose address is not a multiple of its size (a vector load from an "
             "unaligned row?)";
    case CUDA_ERROR_LAUNCH_FAILED:
      return "the kernel stopped itself (__trap) or failed in another way";
    case CUDA_ERROR_ASSERT:
      return "an assert failed";
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return "an illegal instruction";
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return "an access through a pointer into the wrong address space";
    case CUDA_ERROR_INVALID_PC:
      return "a jump to an address that holds no code";
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return "a stack overflow or a corrupted stack";
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return "the driver ended a kernel that ran too long";
    default:
      return "the driver reports an error";
  }
}

std::string hint_for(CUresult code) {
  switch (code) {
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return "; too many registers or too much shared memory for this block size: use fewer "
             "threads or __launch_bounds__";
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return "; all blocks of a cooperative launch must fit on the GPU at once: use fewer blocks";
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return "; the cluster must divide the grid, have at most 8 blocks (16 at most) and fit on "
             "the GPU";
    case CUDA_ERROR_INVALID_VALUE:
      return "; a size is out of range, or the block is not the one that the kernel was compiled "
             "for";
    default:
      return "";
  }
}

}  // namespace

FaultKind fault_kind_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return FaultKind::illegal_access;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return FaultKind::misaligned;
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return FaultKind::trap;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return FaultKind::timeout;
    default:
      return FaultKind::none;
  }
}

std::string kernels_of(const ResolvedPlan& plan) {
  std::vector<std::string> names;
  for (const ResolvedLaunch& launch : plan.launches) {
    const std::string quoted = "'" + launch.kernel + "'";
    if (std::find(names.begin(), names.end(), quoted) == names.end()) names.push_back(quoted);
  }
  return fmt::format("in {} {}", names.size() == 1 ? "kernel" : "one of the kernels",
                     fmt::join(names, ", "));
}

Fault fault_of(const CudaDriver& driver, CUresult code, const ResolvedPlan& plan) {
  const FaultKind kind = fault_kind_of(code);
  return {kind == FaultKind::none ? FaultKind::other : kind,
          fmt::format("{} {}: {}", words_for(code), kernels_of(plan), driver.name_of(code))};
}

std::string launch_problem(const ResolvedLaunch& launch, const CudaKernelFacts& kernel,
                           const CudaLimits& limits) {
  for (std::size_t i = 0; i < 3; ++i) {
    const char axis = k_axis_names[i];
    if (launch.grid[i] < 1 || launch.grid[i] > limits.grid[i]) {
      return fmt::format("kernel '{}': grid {} is {}, but must be between 1 and {}", launch.kernel,
                         axis, launch.grid[i], limits.grid[i]);
    }
    if (launch.block[i] < 1 || launch.block[i] > limits.block[i]) {
      return fmt::format("kernel '{}': block {} is {}, but must be between 1 and {}", launch.kernel,
                         axis, launch.block[i], limits.block[i]);
    }
    if (launch.has_cluster && (launch.cluster[i] < 1 || launch.grid[i] % launch.cluster[i] != 0)) {
      return fmt::format("kernel '{}': cluster {} is {}, which does not divide grid {} = {}",
                         launch.kernel, axis, launch.cluster[i], axis, launch.grid[i]);
    }
  }
  const std::int64_t threads = product(launch.block);
  if (threads > kernel.max_threads_per_block) {
    return fmt::format(
        "kernel '{}' is launched with {} threads per block, but was compiled for at "
        "most {} (it uses {} registers per thread; see __launch_bounds__)",
        launch.kernel, threads, kernel.max_threads_per_block, kernel.registers);
  }
  const std::int64_t shared = launch.dynamic_shared_bytes + kernel.static_shared_bytes;
  if (launch.dynamic_shared_bytes < 0 || shared > limits.shared_bytes) {
    return fmt::format(
        "kernel '{}' asks for {} bytes of dynamic shared memory and has {} bytes of "
        "static, but a block can have {} bytes in all",
        launch.kernel, launch.dynamic_shared_bytes, kernel.static_shared_bytes,
        limits.shared_bytes);
  }
  return {};
}

Fault refusal(const std::string& driver_words, CUresult code, const ResolvedLaunch& launch,
              const CudaKernelFacts& kernel) {
  std::string asked = fmt::format("grid {}, block {}", launch.grid, launch.block);
  if (launch.has_cluster) asked += fmt::format(", cluster {}", launch.cluster);
  if (launch.cooperative) asked += ", cooperative";
  asked += fmt::format(", {} + {} bytes of shared memory, {} registers per thread",
                       kernel.static_shared_bytes, launch.dynamic_shared_bytes, kernel.registers);
  return {FaultKind::launch_refused,
          fmt::format("the driver refused to launch '{}' ({}): {}{}", launch.kernel, asked,
                      driver_words, hint_for(code))};
}

}  // namespace kernelloop
