#include "verify/reference_library.hpp"

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "verify/call_site.hpp"
#include "verify/pattern.hpp"
#include "verify/reference_call.hpp"
#include "verify/term_probe.hpp"

#include <algorithm>
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

// What the child of a call is handed.
struct FilledCall {
  const ReferenceCall* call;
  bool zero_magnitudes;  // they may hold something
};

std::string fill_and_run(const void* argument) {
  const auto& [call, zero_magnitudes] = *static_cast<const FilledCall*>(argument);
  const auto filled = [](double* values, std::int64_t count, std::uint64_t bits) {
    const std::span<double> all(values, static_cast<std::size_t>(count));
    populate(std::as_writable_bytes(all), true);
    fill(all, bits);
  };
  for (std::size_t i = 0; i < call->call.tensor_count; ++i) {
    const KernelLoopReferenceTensor& tensor = call->call.tensors[i];
    if (tensor.output == nullptr) continue;
    filled(tensor.output, tensor.count, k_unwritten);
    if (zero_magnitudes) filled(tensor.magnitude, tensor.count, 0);
  }
  return run(*call);
}

std::span<double> lent(MemoryPool& pool, MemoryPool::Lease& lease, std::size_t count) {
  lease = pool.take(count * sizeof(double));
  return lease.block().as<double>().first(count);
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

void ReferenceLibrary::refuse(const OpSpec& spec, const Bindings& axes,
                              const std::string& what) const {
  fail(ExitCode::bad_input, "the reference of op '{}' for {}: it {} ({})", spec.name,
       shape_text(spec, axes), what, library_.string());
}

ReferenceLibrary::Outputs ReferenceLibrary::call(const OpSpec& spec,
                                                 const ReferenceInputs& inputs) const {
  CallSite site(bytes_of_call(spec, inputs), *server_);
  ReferenceInputs placed = inputs;
  for (auto& [name, values] : placed.tensors) values = site.input(values);
  Outputs outputs;
  std::map<std::string, ReferenceBuffers> buffers;
  for (const Tensor& tensor : spec.outputs) {
    ReferenceOutput& output = outputs[tensor.name];
    output.shape = shape_of(tensor, inputs.axes);
    const auto count = static_cast<std::size_t>(element_count(tensor, inputs.axes));
    ReferenceBuffers& made = buffers[tensor.name];
    if (site.small()) {
      made.values = site.zeros(count);
      made.magnitudes = site.zeros(count).data();
    } else {
      made.values = output.values = lent(*memory_, output.value_memory, count);
      output.magnitudes = lent(*magnitude_memory_, output.magnitude_memory, count);
      made.magnitudes = output.magnitudes.data();
    }
    made.magnitude_given = reinterpret_cast<unsigned char*>(site.zeros(1).data());
  }
  FilledCall& filled = site.memory().array<FilledCall>(1).front();
  // Asked for after the memory was taken: what another call has written into comes behind this.
  filled = {&lay_out_call(library_, spec, placed, buffers, site.memory()),
            !site.small() && *gives_magnitudes_};
  const std::string problem = site.call(fill_and_run, &filled, timeout_);
  for (auto& [name, output] : outputs) {
    const ReferenceBuffers& made = buffers.at(name);
    const bool given = *made.magnitude_given != 0;
    const std::size_t count = made.values.size();
    if (!site.small()) {
      if (given) *gives_magnitudes_ = true;
      if (!given) output.magnitudes = {};
      continue;
    }
    if (!problem.empty()) continue;
    output.values = lent(*small_memory_, output.value_memory, count);
    std::ranges::copy(made.values, output.values.begin());
    if (!given) continue;
    output.magnitudes = lent(*small_memory_, output.magnitude_memory, count);
    std::copy_n(made.magnitudes, count, output.magnitudes.begin());
  }
  if (!problem.empty()) refuse(spec, inputs.axes, problem);
  return outputs;
}

void ReferenceLibrary::check(const OpSpec& spec, const ReferenceInputs& inputs,
                             Outputs& outputs) const {
  for (auto& [name, output] : outputs) {
    populate(std::as_writable_bytes(output.values), false);
    const DTypeInfo& type = info(spec.find_tensor(name)->dtype);
    const double largest = type.floating ? type.largest : std::numeric_limits<double>::max();
    output.scale = scale_of(output.values, output.shape, k_unwritten, largest);
    if (output.scale.first_equal >= 0) {
      refuse(spec, inputs.axes,
             fmt::format("leaves element {} of output '{}' unwritten",
                         index_text(output.scale.first_equal, output.shape), name));
    }
    if (inputs.finite && output.scale.first_nan >= 0) {
      refuse(spec, inputs.axes,
             fmt::format("makes NaN of finite inputs in element {} of output '{}'; does it read "
                         "the output before it writes it?",
                         index_text(output.scale.first_nan, output.shape), name));
    }
    populate(std::as_writable_bytes(output.magnitudes), false);
  }
}

std::map<std::string, ReferenceOutput> ReferenceLibrary::run(const OpSpec& spec,
                                                             const ReferenceInputs& inputs) const {
  Outputs outputs = call(spec, inputs);
  check(spec, inputs, outputs);
  probe_terms(library_, timeout_, *server_, spec, inputs, outputs);
  return outputs;
}

}  // namespace kernelloop
