// One shared object that implements include/kernelloop/cpu/abi.h, loaded into this process.
#pragma once

#include "device/worker_client.hpp"

#include <kernelloop/cpu/abi.h>

#include <map>

namespace kernelloop {

struct CpuAddresses {
  std::map<std::string, std::byte*> tensors;
  std::byte* workspace = nullptr;
};

// A launch with the values of its arguments, ready to be made again and again.
struct CpuCall {
  std::string kernel;
  std::vector<std::vector<std::byte>> values;
  KernelLoopCpuLaunch launch{};  // its `arguments` are filled in when it is made
};

class CpuModule {
 public:
  // FaultKind::load_failed when it cannot be loaded, is of another ABI or lacks a kernel.
  Fault open(const Artifact& artifact);

  // What the launches of a run have in common; see abi.h.
  struct Seeds {
    std::uint64_t schedule = 0;
    std::uint64_t noise = 0;
  };

  // Turns a plan into calls. launch_refused when a kernel or its parameters are not as planned.
  Fault bind(const ResolvedPlan& plan, const CpuAddresses& addresses, Seeds seeds,
             std::vector<CpuCall>& calls) const;

  // Whether it is built with AddressSanitizer.
  [[nodiscard]] bool sanitized() const noexcept { return sanitized_; }

  // Makes the calls in order, up to the first fault.
  Fault launch(const std::vector<CpuCall>& calls) const;

 private:
  const KernelLoopCpuModule* module_ = nullptr;  // stays loaded as long as the process lives
  bool sanitized_ = false;
};

}  // namespace kernelloop
