#include "verify/reference_call.hpp"

#include "support/parallel.hpp"
#include "verify/reference_library.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace kernelloop {
namespace {

constexpr std::size_t k_message_bytes = 2048;

// Below so many bytes of tensors a reference is through before another thread has started.
constexpr std::size_t k_bytes_of_a_thread = std::size_t{64} << 10;

std::span<const std::int64_t> shape_in(CallMemory& memory, const Tensor& tensor,
                                       const Bindings& axes) {
  const std::vector<std::int64_t> shape = shape_of(tensor, axes);
  const std::span<std::int64_t> copy = memory.array<std::int64_t>(shape.size());
  std::ranges::copy(shape, copy.begin());
  return copy;
}

template <typename T>
std::span<const T> copied(CallMemory& memory, const std::vector<T>& entries) {
  const std::span<T> copy = memory.array<T>(entries.size());
  std::ranges::copy(entries, copy.begin());
  return copy;
}

std::uint32_t threads_for(const std::vector<KernelLoopReferenceTensor>& tensors) {
  std::size_t bytes = 0;
  for (const KernelLoopReferenceTensor& tensor : tensors) {
    bytes += static_cast<std::size_t>(tensor.count) * sizeof(double);
  }
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(bytes / k_bytes_of_a_thread, 1, core_count()));
}

}  // namespace

std::size_t bytes_of_call(const OpSpec& spec, const ReferenceInputs& inputs) {
  std::size_t elements = 0;
  for (const auto& [name, values] : inputs.tensors) elements += values.size();
  for (const Tensor& output : spec.outputs) {
    elements += 2 * static_cast<std::size_t>(element_count(output, inputs.axes));
  }
  return elements * sizeof(double);
}

const ReferenceCall& lay_out_call(const std::filesystem::path& library, const OpSpec& spec,
                                  const ReferenceInputs& inputs,
                                  const std::map<std::string, ReferenceBuffers>& outputs,
                                  CallMemory& memory) {
  std::vector<KernelLoopReferenceAxis> axes;
  for (const Axis& axis : spec.axes) {
    axes.push_back({memory.text(axis.name), inputs.axes.at(axis.name)});
  }
  std::vector<KernelLoopReferenceScalar> scalars;
  std::vector<KernelLoopReferenceTensor> tensors;
  for (const Tensor& input : spec.inputs) {
    if (input.scalar) {
      scalars.push_back({memory.text(input.name), inputs.scalars.at(input.name)});
      continue;
    }
    const std::span<const std::int64_t> shape = shape_in(memory, input, inputs.axes);
    const std::span<const double> values = inputs.tensors.at(input.name);
    tensors.push_back({memory.text(input.name), shape.size(), shape.data(),
                       static_cast<std::int64_t>(values.size()), values.data(), nullptr, nullptr,
                       nullptr});
  }
  for (const Tensor& output : spec.outputs) {
    const std::span<const std::int64_t> shape = shape_in(memory, output, inputs.axes);
    const ReferenceBuffers& buffers = outputs.at(output.name);
    tensors.push_back({memory.text(output.name), shape.size(), shape.data(),
                       static_cast<std::int64_t>(buffers.values.size()), nullptr,
                       buffers.values.data(), buffers.magnitudes, buffers.magnitude_given});
  }
  const std::span<char> message = memory.array<char>(k_message_bytes);
  message.front() = '\0';
  ReferenceCall& call = memory.array<ReferenceCall>(1).front();
  call = {memory.text(library.string()),
          memory.text(spec.name),
          {KERNELLOOP_REFERENCE_ABI_VERSION, threads_for(tensors), axes.size(),
           copied(memory, axes).data(), scalars.size(), copied(memory, scalars).data(),
           tensors.size(), copied(memory, tensors).data(), message.data(), message.size()}};
  return call;
}

std::string run(const ReferenceCall& call) {
  void* handle = ::dlopen(call.library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fmt::format("cannot be loaded: {}", ::dlerror());
  using Entry = const KernelLoopReferenceModule* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "kernelloop_reference_module"));
  if (entry == nullptr) {
    return fmt::format("defines no reference; write KERNELLOOP_REFERENCE({}) {{ ... }}", call.op);
  }
  const KernelLoopReferenceModule* module = entry();
  if (module->abi_version != KERNELLOOP_REFERENCE_ABI_VERSION) {
    return fmt::format("was built against version {} of kernelloop/reference.h, not {}; rebuild it",
                       module->abi_version, KERNELLOOP_REFERENCE_ABI_VERSION);
  }
  if (std::string_view(call.op) != module->name) {
    return fmt::format("is KERNELLOOP_REFERENCE({}), but the op is '{}'; name it after the op",
                       module->name, call.op);
  }
  if (module->run(&call.call) == 0) return {};
  const char* const message = call.call.message;
  return fmt::format("failed: {}", *message == '\0' ? "no reason given" : message);
}

}  // namespace kernelloop
