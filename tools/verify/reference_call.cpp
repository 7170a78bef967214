#include "verify/reference_call.hpp"

#include "support/parallel.hpp"
#include "verify/reference_library.hpp"

#include <fmt/format.h>
#include <fmt/std.h>

#include <dlfcn.h>

#include <array>

namespace kernelloop {

ReferenceCall::ReferenceCall(const OpSpec& spec, const ReferenceInputs& inputs,
                             const std::map<std::string, ReferenceBuffers>& outputs)
    : spec_(spec) {
  for (const Axis& axis : spec.axes) {
    axes_.push_back({axis.name.c_str(), inputs.axes.at(axis.name)});
  }
  shapes_.reserve(spec.inputs.size() + spec.outputs.size());
  for (const Tensor& input : spec.inputs) {
    if (input.scalar) {
      scalars_.push_back({input.name.c_str(), inputs.scalars.at(input.name)});
      continue;
    }
    const std::vector<std::int64_t>& shape = shapes_.emplace_back(shape_of(input, inputs.axes));
    const std::span<const double> values = inputs.tensors.at(input.name);
    tensors_.push_back({input.name.c_str(), shape.size(), shape.data(),
                        static_cast<std::int64_t>(values.size()), values.data(), nullptr, nullptr,
                        nullptr});
  }
  for (const Tensor& output : spec.outputs) {
    const std::vector<std::int64_t>& shape = shapes_.emplace_back(shape_of(output, inputs.axes));
    const ReferenceBuffers& buffers = outputs.at(output.name);
    tensors_.push_back({output.name.c_str(), shape.size(), shape.data(),
                        static_cast<std::int64_t>(buffers.values.size()), nullptr,
                        buffers.values.data(), buffers.magnitudes, buffers.magnitude_given});
  }
}

std::string ReferenceCall::run(const std::filesystem::path& library) const {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fmt::format("cannot be loaded: {}", ::dlerror());
  using Entry = const KernelLoopReferenceModule* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "kernelloop_reference_module"));
  if (entry == nullptr) {
    return fmt::format("defines no reference; write KERNELLOOP_REFERENCE({}) {{ ... }}",
                       spec_.name);
  }
  const KernelLoopReferenceModule* module = entry();
  if (module->abi_version != KERNELLOOP_REFERENCE_ABI_VERSION) {
    return fmt::format("was built against version {} of kernelloop/reference.h, not {}; rebuild it",
                       module->abi_version, KERNELLOOP_REFERENCE_ABI_VERSION);
  }
  if (spec_.name != module->name) {
    return fmt::format("is KERNELLOOP_REFERENCE({}), but the op is '{}'; name it after the op",
                       module->name, spec_.name);
  }
  std::array<char, 2048> message{};
  const KernelLoopReferenceCall call{KERNELLOOP_REFERENCE_ABI_VERSION,
                                     static_cast<std::uint32_t>(core_count()),
                                     axes_.size(),
                                     axes_.data(),
                                     scalars_.size(),
                                     scalars_.data(),
                                     tensors_.size(),
                                     tensors_.data(),
                                     message.data(),
                                     message.size()};
  if (module->run(&call) == 0) return {};
  return fmt::format("failed: {}", message.front() == '\0' ? "no reason given" : message.data());
}

}  // namespace kernelloop
