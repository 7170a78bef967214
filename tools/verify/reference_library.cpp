#include "verify/reference_library.hpp"

#include "support/error.hpp"
#include "verify/contained_call.hpp"
#include "verify/parallel.hpp"
#include "verify/pattern.hpp"

#include <dlfcn.h>
#include <kernelloop/reference.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

// A signalling NaN that no arithmetic yields: an element that holds it was never written.
constexpr std::uint64_t k_unwritten = 0x7FF4DEADBEEF4B4Cu;

// The arguments of a call as the C interface wants them.
class CallArguments {
 public:
  CallArguments(const OpSpec& spec, const ReferenceInputs& inputs,
                std::map<std::string, ReferenceOutput>& outputs,
                std::map<std::string, unsigned char*>& magnitude_given) {
    for (const Axis& axis : spec.axes) {
      axes_.push_back({axis.name.c_str(), inputs.axes.at(axis.name)});
    }
    shapes_.reserve(spec.inputs.size());
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
    for (const Tensor& tensor : spec.outputs) {
      ReferenceOutput& output = outputs.at(tensor.name);
      tensors_.push_back({tensor.name.c_str(), output.shape.size(), output.shape.data(),
                          static_cast<std::int64_t>(output.values.size()), nullptr,
                          output.values.data(), output.magnitudes.data(),
                          magnitude_given.at(tensor.name)});
    }
  }

  [[nodiscard]] KernelLoopReferenceCall call(std::span<char> message) const {
    return {KERNELLOOP_REFERENCE_ABI_VERSION,
            static_cast<std::uint32_t>(core_count()),
            axes_.size(),
            axes_.data(),
            scalars_.size(),
            scalars_.data(),
            tensors_.size(),
            tensors_.data(),
            message.data(),
            message.size()};
  }

 private:
  std::vector<KernelLoopReferenceAxis> axes_;
  std::vector<KernelLoopReferenceScalar> scalars_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<KernelLoopReferenceTensor> tensors_;
};

// In the child: loads the library and calls it. Returns what went wrong, or nothing.
std::string load_and_call(const std::filesystem::path& library, const OpSpec& spec,
                          const CallArguments& arguments) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fmt::format("cannot be loaded: {}", ::dlerror());
  using Entry = const KernelLoopReferenceModule* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "kernelloop_reference_module"));
  if (entry == nullptr) {
    return fmt::format("defines no reference; write KERNELLOOP_REFERENCE({}) {{ ... }}", spec.name);
  }
  const KernelLoopReferenceModule* module = entry();
  if (module->abi_version != KERNELLOOP_REFERENCE_ABI_VERSION) {
    return fmt::format("was built against version {} of kernelloop/reference.h, not {}; rebuild it",
                       module->abi_version, KERNELLOOP_REFERENCE_ABI_VERSION);
  }
  if (spec.name != module->name) {
    return fmt::format("is KERNELLOOP_REFERENCE({}), but the op is '{}'; name it after the op",
                       module->name, spec.name);
  }
  std::array<char, 2048> message{};
  const KernelLoopReferenceCall call = arguments.call(message);
  if (module->run(&call) == 0) return {};
  return fmt::format("failed: {}", message.front() == '\0' ? "no reason given" : message.data());
}

void mark_unwritten(std::span<double> values) {
  for_chunks(static_cast<std::int64_t>(values.size()),
             [&](std::int64_t, std::int64_t begin, std::int64_t end) {
               for (std::int64_t index = begin; index < end; ++index) {
                 std::memcpy(values.data() + index, &k_unwritten, sizeof k_unwritten);
               }
             });
}

}  // namespace

std::string shape_text(const OpSpec& spec, const Bindings& axes) {
  std::string text;
  for (const Axis& axis : spec.axes) {
    const auto value = axes.find(axis.name);
    if (axis.kind != Axis::Kind::variable || value == axes.end()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis.name, value->second);
  }
  return text.empty() ? "no variable axes" : text;
}

ReferenceLibrary::ReferenceLibrary(std::filesystem::path library, std::chrono::milliseconds timeout)
    : library_(std::filesystem::absolute(library)), timeout_(timeout) {
  if (!std::filesystem::is_regular_file(library_)) {
    fail(ExitCode::bad_input, "{}: no such reference library; build the op's reference target",
         library_.string());
  }
}

std::map<std::string, ReferenceOutput> ReferenceLibrary::run(const OpSpec& spec,
                                                             const ReferenceInputs& inputs) const {
  std::map<std::string, ReferenceOutput> outputs;
  std::map<std::string, unsigned char*> magnitude_given;
  for (const Tensor& tensor : spec.outputs) {
    ReferenceOutput& output = outputs[tensor.name];
    const auto count = static_cast<std::size_t>(element_count(tensor, inputs.axes));
    output.value_memory = memory_->take(count * sizeof(double));
    output.values = output.value_memory.block().as<double>().first(count);
    // Zeros that cost nothing unless they are written: magnitudes, then one double of which the
    // first byte says that they were given.
    output.magnitude_memory = MemoryBlock((count + 1) * sizeof(double), MemoryBlock::Kind::shared);
    const std::span<double> magnitudes = output.magnitude_memory.as<double>();
    output.magnitudes = magnitudes.first(count);
    output.shape = shape_of(tensor, inputs.axes);
    magnitude_given[tensor.name] = reinterpret_cast<unsigned char*>(magnitudes.data() + count);
  }
  const CallArguments arguments(spec, inputs, outputs, magnitude_given);
  const std::string problem = contained_call(
      [&] {
        for (const auto& [name, output] : outputs) {
          populate(std::as_writable_bytes(output.values), true);
          mark_unwritten(output.values);
        }
        return load_and_call(library_, spec, arguments);
      },
      timeout_);
  const auto refuse = [&](const std::string& what) {
    fail(ExitCode::bad_input, "the reference of op '{}' for {}: it {} ({})", spec.name,
         shape_text(spec, inputs.axes), what, library_.string());
  };
  if (!problem.empty()) refuse(problem);

  for (auto& [name, output] : outputs) {
    populate(std::as_writable_bytes(output.values), false);
    const DTypeInfo& type = info(spec.find_tensor(name)->dtype);
    const double largest = type.floating ? type.largest : std::numeric_limits<double>::max();
    output.scale = scale_of(output.values, output.shape, k_unwritten, largest);
    if (output.scale.first_equal >= 0) {
      refuse(fmt::format("leaves element {} of output '{}' unwritten",
                         index_text(output.scale.first_equal, output.shape), name));
    }
    if (inputs.finite && output.scale.first_nan >= 0) {
      refuse(
          fmt::format("makes NaN of finite inputs in element {} of output '{}'; does it read "
                      "the output before it writes it?",
                      index_text(output.scale.first_nan, output.shape), name));
    }
    if (*magnitude_given.at(name) == 0) output.magnitudes = {};
  }
  return outputs;
}

}  // namespace kernelloop
