#include "verify/reference_library.hpp"

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "verify/contained_call.hpp"
#include "verify/pattern.hpp"
#include "verify/reference_call.hpp"
#include "verify/term_probe.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

// A signalling NaN that no arithmetic yields: an element that holds it was never written.
constexpr std::uint64_t k_unwritten = 0x7FF4DEADBEEF4B4Cu;

// Bits rather than a number: what becomes of a signalling NaN on its way is up to the processor.
void fill(std::span<double> values, std::uint64_t bits) {
  for_chunks(static_cast<std::int64_t>(values.size()),
             [&](std::int64_t, std::int64_t begin, std::int64_t end) {
               for (std::int64_t index = begin; index < end; ++index) {
                 std::memcpy(values.data() + index, &bits, sizeof bits);
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

ReferenceLibrary::ReferenceLibrary(const std::filesystem::path& library,
                                   std::chrono::milliseconds timeout)
    : library_(std::filesystem::absolute(library)), timeout_(timeout) {
  if (!std::filesystem::is_regular_file(library_)) {
    fail(ExitCode::bad_input, "{}: no such reference library; build the op's reference target",
         library_.string());
  }
}

std::map<std::string, ReferenceOutput> ReferenceLibrary::run(const OpSpec& spec,
                                                             const ReferenceInputs& inputs) const {
  std::map<std::string, ReferenceOutput> outputs;
  std::map<std::string, ReferenceBuffers> buffers;
  for (const Tensor& tensor : spec.outputs) {
    ReferenceOutput& output = outputs[tensor.name];
    const auto count = static_cast<std::size_t>(element_count(tensor, inputs.axes));
    output.value_memory = memory_->take(count * sizeof(double));
    output.values = output.value_memory.block().as<double>().first(count);
    // Magnitudes, then one double of which the first byte says that they were given.
    output.magnitude_memory = magnitude_memory_->take((count + 1) * sizeof(double));
    const std::span<double> magnitudes = output.magnitude_memory.block().as<double>();
    output.magnitudes = magnitudes.first(count);
    magnitudes[count] = 0.0;
    output.shape = shape_of(tensor, inputs.axes);
    buffers[tensor.name] = {output.values, magnitudes.data(),
                            reinterpret_cast<unsigned char*>(magnitudes.data() + count)};
  }
  const ReferenceCall call(spec, inputs, buffers);
  // Asked for after the memory was taken: what another call has written into comes behind this.
  const bool gives_magnitudes = *gives_magnitudes_;
  const std::string problem = contained_call(
      [&] {
        for (const auto& [name, output] : outputs) {
          populate(std::as_writable_bytes(output.values), true);
          fill(output.values, k_unwritten);
          if (!gives_magnitudes) continue;
          populate(std::as_writable_bytes(output.magnitudes), true);
          fill(output.magnitudes, 0);
        }
        return call.run(library_);
      },
      timeout_);
  for (const auto& [name, buffer] : buffers) {
    if (*buffer.magnitude_given != 0) *gives_magnitudes_ = true;
  }
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
    if (*buffers.at(name).magnitude_given == 0) {
      output.magnitudes = {};
    } else {
      populate(std::as_writable_bytes(output.magnitudes), false);
    }
  }
  probe_terms(library_, timeout_, spec, inputs, outputs);
  return outputs;
}

}  // namespace kernelloop
