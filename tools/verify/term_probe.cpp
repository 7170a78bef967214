#include "verify/term_probe.hpp"

#include "support/random.hpp"
#include "verify/call_site.hpp"
#include "verify/reference_call.hpp"
#include "verify/reference_library.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace kernelloop {
namespace {

// From here on, all elements cancel by chance so seldom (two digits each time, in 8 of 8) that no
// run sees it.
constexpr std::size_t k_enough_neighbours = 8;
constexpr double k_step = 0x1p-26;  // the difference keeps half of double's digits
// Two terms that cancel move the result only where their signs in a draw differ: 1 in 2.
constexpr int k_draws = 16;
// Of many terms any draw moves the result by about the root of their squares.
constexpr int k_draws_of_many = 4;
constexpr std::size_t k_many = 4096;
// Of many results the neighbours tell what a draw did not move: each draw is taken both ways.
constexpr int k_draws_of_many_results = 2;
// Inputs and outputs of a case with many results: more calls of the reference would take long.
constexpr std::size_t k_most_elements = std::size_t{1} << 20;
constexpr int k_reflections = 4;

bool is_few(std::size_t count) { return count < k_enough_neighbours; }

bool needs_probe(const OpSpec& spec, const std::string& name, const ReferenceOutput& output,
                 std::size_t elements) {
  return info(spec.find_tensor(name)->dtype).floating && output.magnitudes.empty() &&
         !output.values.empty() && (is_few(output.values.size()) || elements <= k_most_elements);
}

double moved(double value, const RandomStream& signs, std::uint64_t index, double step) {
  return value * (1.0 + ((signs.bits(index) & 1) != 0 ? step : -step));
}

// What the spec serves of a tensor.
struct Range {
  double low;
  double high;
};

// What the child is handed.
struct Probe {
  const ReferenceCall* call;
  const bool* moved_scalars;  // of each whether it is floating, in the order of the call
  const bool* moved_tensors;
  // Of each tensor what the reference made of it, and where the most that it moved is put: null
  // where nobody asks.
  const double* const* expected;
  double* const* most;
  const Range* ranges;  // of each tensor
  int draws;
  bool few;   // whether an output that is asked for has few elements
  bool many;  // whether one has many
};

// Memory for what a call makes, of no interest afterwards.
struct Scratch {
  std::vector<double> values;
  std::vector<double> magnitudes;
  unsigned char magnitude_given = 0;
};

// A copy of the call with inputs and outputs of its own.
class MovedCall {
 public:
  explicit MovedCall(const Probe& probe) : probe_(probe), original_(*probe.call) {
    const KernelLoopReferenceCall& call = original_.call;
    scalars_.assign(call.scalars, call.scalars + call.scalar_count);
    tensors_.assign(call.tensors, call.tensors + call.tensor_count);
    scratch_.resize(tensors_.size());
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      KernelLoopReferenceTensor& tensor = tensors_[i];
      Scratch& own = scratch_[i];
      if (tensor.output == nullptr && !probe.moved_tensors[i]) continue;
      own.values.resize(std::max<std::size_t>(static_cast<std::size_t>(tensor.count), 1));
      if (tensor.output == nullptr) {
        tensor.input = own.values.data();
        continue;
      }
      own.magnitudes.resize(own.values.size());
      tensor.output = own.values.data();
      tensor.magnitude = own.magnitudes.data();
      tensor.magnitude_given = &own.magnitude_given;
    }
  }

  // Each element times 1 + `step` or 1 - `step`, by the signs of the draw.
  std::string move(int draw, double step) {
    const auto number = static_cast<std::uint64_t>(draw);
    for (std::size_t i = 0; i < scalars_.size(); ++i) {
      if (!probe_.moved_scalars[i]) continue;
      const KernelLoopReferenceScalar& exact = original_.call.scalars[i];
      scalars_[i].value = moved(exact.value, RandomStream(number, exact.name), 0, step);
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!probe_.moved_tensors[i]) continue;
      const KernelLoopReferenceTensor& exact = original_.call.tensors[i];
      const RandomStream signs(number, exact.name);
      for (std::size_t k = 0; k < static_cast<std::size_t>(exact.count); ++k) {
        scratch_[i].values[k] = moved(exact.input[k], signs, k, step);
      }
    }
    return run();
  }

  // Half of the elements, and all at number 0, with the other sign, where the spec serves that.
  // Scalars stay: they say what is computed.
  std::string reflect(int number) {
    for (std::size_t i = 0; i < scalars_.size(); ++i) scalars_[i] = original_.call.scalars[i];
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!probe_.moved_tensors[i]) continue;
      const KernelLoopReferenceTensor& exact = original_.call.tensors[i];
      const RandomStream signs(static_cast<std::uint64_t>(number), exact.name);
      const Range& served = probe_.ranges[i];
      for (std::size_t k = 0; k < static_cast<std::size_t>(exact.count); ++k) {
        const double other = -exact.input[k];
        const bool chosen = number == 0 || (signs.bits(k) & 1) != 0;
        const bool fair = chosen && other >= served.low && other <= served.high;
        scratch_[i].values[k] = fair ? other : exact.input[k];
      }
    }
    return run();
  }

  [[nodiscard]] const std::vector<double>& values(std::size_t tensor) const {
    return scratch_[tensor].values;
  }

 private:
  std::string run() {
    ReferenceCall call = original_;
    call.call.scalars = scalars_.data();
    call.call.tensors = tensors_.data();
    return kernelloop::run(call);
  }

  const Probe& probe_;
  const ReferenceCall& original_;
  std::vector<KernelLoopReferenceScalar> scalars_;
  std::vector<KernelLoopReferenceTensor> tensors_;
  std::vector<Scratch> scratch_;
};

// Calls body(tensor, count, most) for each output that is asked for.
template <typename Body>
void for_each_probed(const Probe& probe, const Body& body) {
  for (std::size_t i = 0; i < probe.call->call.tensor_count; ++i) {
    if (probe.most[i] == nullptr) continue;
    body(i, static_cast<std::size_t>(probe.call->call.tensors[i].count), probe.most[i]);
  }
}

// In units of the step; 0 where one side is not finite.
double difference(double moved_to, double from) {
  const double terms = std::fabs(moved_to - from) / k_step;
  return std::isfinite(terms) ? terms : 0.0;
}

std::string probe_draw(const Probe& probe, MovedCall& call, int draw) {
  std::string failure = call.move(draw, k_step);
  if (!failure.empty()) return failure;
  std::vector<std::vector<double>> seen(probe.call->call.tensor_count);
  for_each_probed(probe, [&](std::size_t i, std::size_t count, double*) {
    seen[i].resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      seen[i][k] = difference(call.values(i)[k], probe.expected[i][k]);
    }
  });
  if (probe.many) failure = call.move(draw, -k_step);
  if (!failure.empty()) return failure;
  for_each_probed(probe, [&](std::size_t i, std::size_t count, double* most) {
    for (std::size_t k = 0; k < count; ++k) {
      double terms = seen[i][k];
      // A step between two inputs, as of a rounding, is met one way only.
      if (!is_few(count)) {
        terms = std::min(terms, difference(call.values(i)[k], probe.expected[i][k]));
      }
      most[k] = std::max(most[k], terms);
    }
  });
  return {};
}

// The neighbours that a few elements lack. A reference may refuse what no family draws.
void probe_neighbours(const Probe& probe, MovedCall& call) {
  for (int number = 0; number < k_reflections; ++number) {
    if (!call.reflect(number).empty()) return;
    for_each_probed(probe, [&](std::size_t i, std::size_t count, double* most) {
      if (!is_few(count)) return;
      for (std::size_t k = 0; k < count; ++k) {
        const double size = std::fabs(call.values(i)[k]);
        if (std::isfinite(size)) most[k] = std::max(most[k], size);
      }
    });
  }
}

std::string probe(const void* argument) {
  const Probe& probe = *static_cast<const Probe*>(argument);
  MovedCall call(probe);
  for (int draw = 0; draw < probe.draws; ++draw) {
    std::string failure = probe_draw(probe, call, draw);
    if (!failure.empty()) return failure;
  }
  if (probe.few) probe_neighbours(probe, call);
  return {};
}

}  // namespace

void probe_terms(const std::filesystem::path& library, std::chrono::milliseconds timeout,
                 CallServer& server, const OpSpec& spec, const ReferenceInputs& inputs,
                 std::map<std::string, ReferenceOutput>& outputs) {
  std::size_t terms = 0;
  for (const auto& [name, values] : inputs.tensors) terms += values.size();
  std::size_t elements = terms;
  for (const auto& [name, output] : outputs) elements += output.values.size();
  const bool wanted = std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
    return needs_probe(spec, output.first, output.second, elements);
  });
  const bool movable = std::any_of(spec.inputs.begin(), spec.inputs.end(),
                                   [](const Tensor& input) { return info(input.dtype).floating; });
  if (!wanted || !movable) return;

  CallSite site(bytes_of_call(spec, inputs), server);
  CallMemory& memory = site.memory();
  ReferenceInputs placed = inputs;
  for (auto& [name, values] : placed.tensors) values = site.input(values);
  std::map<std::string, ReferenceBuffers> buffers;
  std::map<std::string, std::span<double>> probed;
  bool few = false;
  bool many = false;
  for (const auto& [name, output] : outputs) {
    // Null would make an input of it; what is there is never written.
    buffers[name] = {output.values, output.values.data(), nullptr};
    if (!needs_probe(spec, name, output, elements)) continue;
    probed[name] = site.zeros(output.values.size());
    (is_few(output.values.size()) ? few : many) = true;
  }
  const ReferenceCall& call = lay_out_call(library, spec, placed, buffers, memory);
  const std::size_t tensors = call.call.tensor_count;
  const std::span<bool> moved_scalars = memory.array<bool>(call.call.scalar_count);
  const std::span<bool> moved_tensors = memory.array<bool>(tensors);
  const std::span<const double*> expected = memory.array<const double*>(tensors);
  const std::span<double*> most = memory.array<double*>(tensors);
  const std::span<Range> ranges = memory.array<Range>(tensors);
  std::ranges::fill(moved_tensors, false);
  std::ranges::fill(expected, nullptr);
  std::ranges::fill(most, nullptr);
  std::size_t scalar = 0;
  std::size_t tensor = 0;
  for (const Tensor& input : spec.inputs) {
    const bool floating = info(input.dtype).floating;
    if (input.scalar) {
      moved_scalars[scalar++] = floating;
      continue;
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    ranges[tensor] = {input.values.at_least.value_or(-infinity),
                      input.values.at_most.value_or(infinity)};
    moved_tensors[tensor++] = floating;
  }
  for (const Tensor& output : spec.outputs) {
    if (const auto found = probed.find(output.name); found != probed.end()) {
      expected[tensor] = site.input(outputs.at(output.name).values).data();
      most[tensor] = found->second.data();
    }
    ++tensor;
  }
  const int draws = !few ? k_draws_of_many_results : terms > k_many ? k_draws_of_many : k_draws;
  Probe& argument = memory.array<Probe>(1).front();
  argument = {&call,
              moved_scalars.data(),
              moved_tensors.data(),
              expected.data(),
              most.data(),
              ranges.data(),
              draws,
              few,
              many};
  if (!site.call(probe, &argument, timeout).empty()) return;
  for (const auto& [name, values] : probed) {
    outputs.at(name).probed_terms.assign(values.begin(), values.end());
  }
}

}  // namespace kernelloop
