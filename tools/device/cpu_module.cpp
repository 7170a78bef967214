#include "device/cpu_module.hpp"

#include "device/parameters.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <array>
#include <cstring>

namespace kernelloop {
namespace {

constexpr std::size_t k_none = static_cast<std::size_t>(-1);

std::size_t index_of(const KernelLoopCpuModule& module, const std::string& kernel) {
  for (std::size_t i = 0; i < module.kernel_count; ++i) {
    if (kernel == module.kernels[i].name) return i;
  }
  return k_none;
}

std::vector<std::byte> bytes_of(const void* pointer) {
  std::vector<std::byte> bytes(sizeof pointer);
  std::memcpy(bytes.data(), &pointer, sizeof pointer);
  return bytes;
}

FaultKind kind_of(KernelLoopCpuStatus status) {
  switch (status) {
    case KERNELLOOP_CPU_OK:
      return FaultKind::none;
    case KERNELLOOP_CPU_DIVERGENT_BARRIER:
      return FaultKind::divergent_barrier;
    case KERNELLOOP_CPU_TRAP:
      return FaultKind::trap;
    case KERNELLOOP_CPU_LIMIT:
      return FaultKind::launch_refused;
    case KERNELLOOP_CPU_NOT_RUNNABLE:
      return FaultKind::not_runnable;
    case KERNELLOOP_CPU_MASK:
      return FaultKind::other;
  }
  return FaultKind::other;
}

}  // namespace

Fault CpuModule::open(const Artifact& artifact) {
  const auto failed = [&](const std::string& why) {
    return Fault{FaultKind::load_failed,
                 fmt::format("{}: {}", artifact.path.filename().string(), why)};
  };
  void* library = ::dlopen(artifact.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(::dlerror());
  using Entry = const KernelLoopCpuModule* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, "kernelloop_cpu_module"));
  if (entry == nullptr) return failed("it exports no kernelloop_cpu_module");
  const KernelLoopCpuModule* module = entry();
  if (module == nullptr || module->abi_version != KERNELLOOP_CPU_ABI_VERSION) {
    return failed(
        fmt::format("it is built for another version of the CPU device's ABI than {}; "
                    "compile it again",
                    KERNELLOOP_CPU_ABI_VERSION));
  }
  for (const std::string& kernel : artifact.kernels) {
    if (index_of(*module, kernel) == k_none) {
      return failed(fmt::format("it has no kernel '{}'", kernel));
    }
  }
  module_ = module;
  // Asked of the module and what it needs; this process may have the runtime for other reasons.
  sanitized_ = ::dlsym(library, "__asan_init") != nullptr;
  return {};
}

Fault CpuModule::bind(const ResolvedPlan& plan, const CpuAddresses& addresses, Seeds seeds,
                      std::vector<CpuCall>& calls) const {
  for (const ResolvedLaunch& launch : plan.launches) {
    const std::size_t index = index_of(*module_, launch.kernel);
    if (index == k_none) {
      return {FaultKind::launch_refused,
              fmt::format("the module has no kernel '{}'", launch.kernel)};
    }
    const KernelLoopCpuKernel& kernel = module_->kernels[index];
    const std::vector<std::size_t> sizes(kernel.parameter_sizes,
                                         kernel.parameter_sizes + kernel.parameter_count);
    if (std::string problem = parameter_problem(launch, sizes); !problem.empty()) {
      return {FaultKind::launch_refused, std::move(problem)};
    }
    CpuCall call;
    call.kernel = launch.kernel;
    call.launch.kernel = index;
    for (std::size_t i = 0; i < 3; ++i) {
      call.launch.grid[i] = static_cast<std::uint64_t>(launch.grid[i]);
      call.launch.block[i] = static_cast<std::uint64_t>(launch.block[i]);
    }
    call.launch.dynamic_shared_bytes = static_cast<std::size_t>(launch.dynamic_shared_bytes);
    call.launch.schedule_seed = seeds.schedule;
    call.launch.noise_seed = seeds.noise;
    for (const ResolvedArgument& argument : launch.arguments) {
      switch (argument.kind) {
        case ResolvedArgument::Kind::tensor:
          call.values.push_back(bytes_of(addresses.tensors.at(argument.tensor)));
          break;
        case ResolvedArgument::Kind::workspace:
          call.values.push_back(bytes_of(addresses.workspace + argument.offset));
          break;
        case ResolvedArgument::Kind::tensor_map:
          // Nothing here reads one: TMA copies are inline assembly, which this device does not run.
          call.values.emplace_back(k_tensor_map_bytes);
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

Fault CpuModule::launch(const std::vector<CpuCall>& calls) const {
  for (const CpuCall& call : calls) {
    std::vector<void*> arguments;
    for (const std::vector<std::byte>& value : call.values) {
      arguments.push_back(const_cast<std::byte*>(value.data()));
    }
    KernelLoopCpuLaunch launch = call.launch;
    launch.arguments = arguments.data();
    std::array<char, 1024> message{};
    const KernelLoopCpuStatus status = module_->launch(&launch, message.data(), message.size());
    if (status == KERNELLOOP_CPU_OK) continue;
    message.back() = '\0';
    return {kind_of(status), fmt::format("{}: {}", call.kernel, message.data())};
  }
  return {};
}

}  // namespace kernelloop
