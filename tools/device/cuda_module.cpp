#include "device/cuda_module.hpp"

#include "device/cubin_file.hpp"
#include "device/parameters.hpp"
#include "support/error.hpp"

#include <kernelloop/tensor_map_encoder.hpp>

#include <array>
#include <cstring>

namespace kernelloop {
namespace {

std::vector<std::byte> bytes_of(CUdeviceptr address) {
  std::vector<std::byte> bytes(sizeof address);
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes;
}

constexpr std::int64_t k_portable_cluster = 8;

}  // namespace

std::int64_t CudaModule::attribute(CUfunction_attribute which, CUkernel kernel) const {
  int value = 0;
  driver_->check(driver_->cuKernelGetAttribute(&value, which, kernel, device_),
                 "asking for a kernel's attributes");
  return value;
}

CUresult CudaModule::look_up(const std::string& name, Kernel& kernel) const {
  const CUresult code = driver_->cuLibraryGetKernel(&kernel.handle, library_.get(), name.c_str());
  if (code != CUDA_SUCCESS) return code;
  kernel.facts.max_threads_per_block =
      attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel.handle);
  kernel.facts.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, kernel.handle);
  kernel.facts.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel.handle);
  if (driver_->parameter_info != nullptr) {
    std::size_t offset = 0;
    std::size_t size = 0;
    // The first index behind the last parameter is an error: that is how they are counted.
    while (driver_->parameter_info(kernel.handle, kernel.parameter_sizes.size(), &offset, &size) ==
           CUDA_SUCCESS) {
      kernel.parameter_sizes.push_back(size);
    }
    kernel.sizes_known = true;
  }
  return CUDA_SUCCESS;
}

Fault CudaModule::open(const Artifact& artifact) {
  const std::string file = artifact.path.filename().string();
  CubinFile cubin = read_cubin(artifact.path);
  if (!cubin.problem.empty()) return {FaultKind::load_failed, cubin.problem};
  bytes_ = std::move(cubin.bytes);
  CUlibrary library = nullptr;
  CUresult code =
      driver_->cuLibraryLoadData(&library, bytes_.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (code != CUDA_SUCCESS) {
    return {FaultKind::load_failed,
            fmt::format("the driver cannot load {}: {}", file, driver_->name_of(code))};
  }
  library_ = CudaLibrary(*driver_, library);
  for (const std::string& name : artifact.kernels) {
    Kernel kernel;
    code = look_up(name, kernel);
    if (code == CUDA_ERROR_NO_BINARY_FOR_GPU) {
      return {FaultKind::load_failed,
              fmt::format("{} is compiled for another GPU architecture than this one", file)};
    }
    if (code != CUDA_SUCCESS) {
      return {FaultKind::load_failed,
              fmt::format("{} has no kernel '{}' ({}); is it extern \"C\" __global__?", file, name,
                          driver_->name_of(code))};
    }
    kernels_.emplace(name, std::move(kernel));
  }
  return {};
}

Fault CudaModule::bind(const ResolvedPlan& plan, const CudaAddresses& addresses,
                       const CudaLimits& limits, std::vector<CudaCall>& calls) {
  for (const ResolvedLaunch& launch : plan.launches) {
    auto found = kernels_.find(launch.kernel);
    if (found == kernels_.end()) {
      Kernel kernel;
      if (look_up(launch.kernel, kernel) != CUDA_SUCCESS) {
        return {FaultKind::launch_refused,
                fmt::format("the module has no kernel '{}'", launch.kernel)};
      }
      found = kernels_.emplace(launch.kernel, std::move(kernel)).first;
    }
    Kernel& kernel = found->second;
    std::string problem;
    if (kernel.sizes_known) problem = parameter_problem(launch, kernel.parameter_sizes);
    if (problem.empty()) problem = launch_problem(launch, kernel.facts, limits);
    if (!problem.empty()) return {FaultKind::launch_refused, std::move(problem)};

    if (launch.dynamic_shared_bytes > kernel.allowed_dynamic_shared) {
      const CUresult code = driver_->cuKernelSetAttribute(
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          static_cast<int>(launch.dynamic_shared_bytes), kernel.handle, device_);
      if (code != CUDA_SUCCESS) {
        return refusal(driver_->name_of(code), code, launch, kernel.facts);
      }
      kernel.allowed_dynamic_shared = launch.dynamic_shared_bytes;
    }
    const std::int64_t cluster = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    if (launch.has_cluster && cluster > k_portable_cluster) {
      driver_->cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                                    kernel.handle, device_);
    }
    CudaCall call{launch, kernel.handle, kernel.facts, {}};
    for (const ResolvedArgument& argument : launch.arguments) {
      switch (argument.kind) {
        case ResolvedArgument::Kind::tensor_map:
          if (Fault fault = add_tensor_map(argument, addresses, call)) return fault;
          break;
        case ResolvedArgument::Kind::tensor:
          call.values.push_back(bytes_of(addresses.tensors.at(argument.tensor)));
          break;
        case ResolvedArgument::Kind::workspace:
          call.values.push_back(
              bytes_of(addresses.workspace + static_cast<CUdeviceptr>(argument.offset)));
          break;
        case ResolvedArgument::Kind::bytes:
          call.values.push_back(argument.bytes);
          break;
      }
    }
    calls.push_back(std::move(call));
  }
  return {};
}

Fault CudaModule::add_tensor_map(const ResolvedArgument& argument, const CudaAddresses& addresses,
                                 CudaCall& call) const {
  const CUdeviceptr begin =
      argument.tensor.empty() ? addresses.workspace : addresses.tensors.at(argument.tensor);
  CUtensorMap map{};
  static_assert(sizeof map == k_tensor_map_bytes);
  const CUresult code = detail::encode(driver_->cuTensorMapEncodeTiled, argument.map,
                                       reinterpret_cast<void*>(begin), map);
  if (code != CUDA_SUCCESS) {
    return {FaultKind::launch_refused,
            fmt::format("the driver refuses the tensor map of argument {} of kernel '{}': {}",
                        call.values.size(), call.launch.kernel, driver_->name_of(code))};
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(&map);
  call.values.emplace_back(bytes, bytes + sizeof map);
  return {};
}

CUdeviceptr CudaModule::variable(const char* name, std::size_t bytes) const {
  CUdeviceptr address = 0;
  std::size_t size = 0;
  const CUresult code = driver_->cuLibraryGetGlobal(&address, &size, library_.get(), name);
  return code == CUDA_SUCCESS && size >= bytes ? address : 0;
}

Fault CudaModule::launch(const std::vector<CudaCall>& calls, CUstream stream) const {
  for (const CudaCall& call : calls) {
    if (Fault fault = launch(call, stream)) return fault;
  }
  return {};
}

Fault CudaModule::launch(const CudaCall& call, CUstream stream) const {
  const ResolvedLaunch& wanted = call.launch;
  std::array<CUlaunchAttribute, 3> attributes{};
  unsigned int count = 0;
  if (wanted.has_cluster) {
    CUlaunchAttribute& attribute = attributes[count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = static_cast<unsigned int>(wanted.cluster[0]);
    attribute.value.clusterDim.y = static_cast<unsigned int>(wanted.cluster[1]);
    attribute.value.clusterDim.z = static_cast<unsigned int>(wanted.cluster[2]);
  }
  if (wanted.cooperative) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[count++].value.cooperative = 1;
  }
  if (wanted.programmatic_dependent) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attributes[count++].value.programmaticStreamSerializationAllowed = 1;
  }
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned int>(wanted.grid[0]);
  config.gridDimY = static_cast<unsigned int>(wanted.grid[1]);
  config.gridDimZ = static_cast<unsigned int>(wanted.grid[2]);
  config.blockDimX = static_cast<unsigned int>(wanted.block[0]);
  config.blockDimY = static_cast<unsigned int>(wanted.block[1]);
  config.blockDimZ = static_cast<unsigned int>(wanted.block[2]);
  config.sharedMemBytes = static_cast<unsigned int>(wanted.dynamic_shared_bytes);
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = count;
  std::vector<void*> arguments;
  for (const std::vector<std::byte>& value : call.values) {
    arguments.push_back(const_cast<std::byte*>(value.data()));
  }
  const CUresult code = driver_->cuLaunchKernelEx(
      &config, reinterpret_cast<CUfunction>(call.kernel), arguments.data(), nullptr);
  if (code == CUDA_SUCCESS) return {};
  // A fault of an earlier launch may show at this one.
  if (fault_kind_of(code) != FaultKind::none) throw CudaFailure(code, "launching");
  return refusal(driver_->name_of(code), code, wanted, call.facts);
}

}  // namespace kernelloop
