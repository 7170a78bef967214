// A loaded cubin and the launches that are made from it.
#pragma once

#include "device/cuda_faults.hpp"
#include "device/cuda_objects.hpp"

#include <map>

namespace kernelloop {

struct CudaAddresses {
  std::map<std::string, CUdeviceptr> tensors;
  CUdeviceptr workspace = 0;
};

// A launch with the values of its arguments.
struct CudaCall {
  ResolvedLaunch launch;
  CUkernel kernel = nullptr;
  CudaKernelFacts facts;
  std::vector<std::vector<std::byte>> values;
};

class CudaModule {
 public:
  CudaModule(const CudaDriver& driver, CUdevice device) : driver_(&driver), device_(device) {}

  // FaultKind::load_failed when the file is damaged, for another GPU, or lacks a kernel.
  Fault open(const Artifact& artifact);

  // Checks the plan against the loaded kernels and the limits; launch_refused says what is wrong.
  Fault bind(const ResolvedPlan& plan, const CudaAddresses& addresses, const CudaLimits& limits,
             std::vector<CudaCall>& calls);

  // The address of a variable of at least `bytes` bytes; 0 when the module has no such one.
  [[nodiscard]] CUdeviceptr variable(const char* name, std::size_t bytes) const;

  // Puts the calls into the stream, up to the first that the driver refuses. Does not wait.
  Fault launch(const std::vector<CudaCall>& calls, CUstream stream) const;
  Fault launch(const CudaCall& call, CUstream stream) const;

 private:
  struct Kernel {
    CUkernel handle = nullptr;
    CudaKernelFacts facts;
    std::vector<std::size_t> parameter_sizes;
    bool sizes_known = false;
    std::int64_t allowed_dynamic_shared = 0;
  };
  CUresult look_up(const std::string& name, Kernel& kernel) const;
  Fault add_tensor_map(const ResolvedArgument& argument, const CudaAddresses& addresses,
                       CudaCall& call) const;
  [[nodiscard]] std::int64_t attribute(CUfunction_attribute which, CUkernel kernel) const;

  const CudaDriver* driver_;
  CUdevice device_;
  std::vector<char> bytes_;  // stays as long as the library
  CudaLibrary library_;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace kernelloop
