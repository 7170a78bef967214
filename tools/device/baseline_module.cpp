#include "device/baseline_module.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <kernelloop/baseline.h>

#include <array>

namespace kernelloop {

Fault BaselineModule::open(const std::filesystem::path& library) {
  const auto failed = [&](const std::string& what) {
    return Fault{FaultKind::load_failed, fmt::format("{} {}", library.filename().string(), what)};
  };
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return failed(fmt::format("cannot be loaded: {}", ::dlerror()));
  using Entry = const KernelLoopBaselineModule* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "kernelloop_baseline_module"));
  if (entry == nullptr) {
    return failed("defines no baseline; write KERNELLOOP_BASELINE(<op>) { ... }");
  }
  const KernelLoopBaselineModule* module = entry();
  if (module->abi_version != KERNELLOOP_BASELINE_ABI_VERSION) {
    return failed(
        fmt::format("was built against version {} of kernelloop/baseline.h, not {}; rebuild it",
                    module->abi_version, KERNELLOOP_BASELINE_ABI_VERSION));
  }
  module_ = module;
  return {};
}

Fault BaselineModule::run(const HostCall& call, const std::vector<BaselineTensor>& tensors,
                          void* stream) const {
  if (call.op != module_->name) {
    return {FaultKind::other, fmt::format("it is KERNELLOOP_BASELINE({}), but the op is '{}'; name "
                                          "it after the op",
                                          module_->name, call.op)};
  }
  std::vector<KernelLoopBaselineAxis> axes;
  for (const auto& [name, value] : call.axes) axes.push_back({name.c_str(), value});
  std::vector<KernelLoopBaselineScalar> scalars;
  for (const auto& [name, value] : call.scalars) scalars.push_back({name.c_str(), value});
  std::vector<KernelLoopBaselineTensor> list;
  for (const BaselineTensor& tensor : tensors) {
    const std::vector<std::int64_t>& shape = call.shapes.at(tensor.name);
    list.push_back({tensor.name.c_str(), shape.size(), shape.data(), tensor.bytes, tensor.data,
                    static_cast<unsigned char>(tensor.output ? 1 : 0)});
  }
  std::array<char, 1024> message{};
  const KernelLoopBaselineCall arguments{KERNELLOOP_BASELINE_ABI_VERSION,
                                         axes.size(),
                                         axes.data(),
                                         scalars.size(),
                                         scalars.data(),
                                         list.size(),
                                         list.data(),
                                         stream,
                                         message.data(),
                                         message.size()};
  if (module_->run(&arguments) == 0) return {};
  return {FaultKind::other, message.front() == '\0' ? "it gave no reason" : message.data()};
}

}  // namespace kernelloop
