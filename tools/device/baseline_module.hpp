// A baseline's library (include/kernelloop/baseline.h), loaded into this process. It is trusted, as
// the reference is; it runs in a worker because that is where the device is.
#pragma once

#include "device/device.hpp"

struct KernelLoopBaselineModule;

namespace kernelloop {

// Where a tensor lies: in the memory of the device.
struct BaselineTensor {
  std::string name;
  std::size_t bytes = 0;
  void* data = nullptr;
  bool output = false;
};

class BaselineModule {
 public:
  // FaultKind::load_failed when it cannot be loaded, is of another ABI or defines no baseline.
  Fault open(const std::filesystem::path& library);

  // Has it put its work for one call into `stream` (a CUstream; null on the CPU device). A baseline
  // that refuses is FaultKind::other with its words.
  [[nodiscard]] Fault run(const HostCall& call, const std::vector<BaselineTensor>& tensors,
                          void* stream) const;

 private:
  const KernelLoopBaselineModule* module_ = nullptr;  // stays loaded as long as the process lives
};

}  // namespace kernelloop
