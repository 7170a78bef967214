#include "verify/output_judge.hpp"

#include "verify/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace kernelloop {
namespace {

// Inputs that the output could be a copy of.
std::map<std::string, std::span<const std::byte>> look_alikes(const OpSpec& spec,
                                                              const Tensor& output,
                                                              const TensorArena& arena) {
  std::map<std::string, std::span<const std::byte>> inputs;
  for (const Tensor& input : spec.inputs) {
    if (!input.scalar && input.dtype == output.dtype) inputs[input.name] = arena.bytes(input.name);
  }
  return inputs;
}

// The greater of what the neighbours say of each element's terms and what the probe saw.
std::vector<double> probed_terms(const ReferenceOutput& reference, double amplification) {
  const TermMagnitude neighbours(reference.scale, {}, amplification);
  std::vector<double> terms = reference.probed_terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = std::max(
        terms[i], neighbours.at(static_cast<std::int64_t>(i), std::fabs(reference.values[i])));
  }
  return terms;
}

}  // namespace

std::vector<OutputVerdict> judge_outputs(const OpSpec& spec, const Bindings& axes,
                                         const DataTraits& traits, const TensorArena& arena,
                                         const std::map<std::string, ReferenceOutput>& expected,
                                         const Poison& poison) {
  std::vector<OutputVerdict> verdicts;
  for (const Tensor& tensor : spec.outputs) {
    const ReferenceOutput& reference = expected.at(tensor.name);
    const std::byte* candidate = arena.bytes(tensor.name).data();
    const std::vector<double> probed = probed_terms(reference, traits.amplification);
    const TermMagnitude magnitude(reference.scale,
                                  probed.empty() ? reference.magnitudes : std::span(probed),
                                  traits.amplification);
    const ErrorModel model = error_model(spec, tensor, axes, traits);

    OutputVerdict& verdict = verdicts.emplace_back();
    verdict.name = tensor.name;
    verdict.metrics =
        compare(tensor.dtype, candidate, reference.values, reference.scale, magnitude, model);
    verdict.gates = judge(spec, tensor, model, verdict.metrics, reference.scale);
    verdict.passed = std::all_of(verdict.gates.begin(), verdict.gates.end(),
                                 [](const Gate& gate) { return gate.passed; });
    if (const std::int64_t worst = verdict.metrics.worst; worst >= 0) {
      const auto position = static_cast<std::size_t>(worst);
      verdict.worst = unravel(worst, reference.shape);
      verdict.got = load_element(tensor.dtype, candidate + position * info(tensor.dtype).size);
      verdict.expected = reference.values[position];
    }
    if (!verdict.passed) {
      FailedOutput failed{tensor.dtype,     candidate,
                          poison,           reference.values,
                          reference.shape,  &verdict.metrics,
                          &reference.scale, &magnitude,
                          &model,           look_alikes(spec, tensor, arena)};
      verdict.pattern = describe_pattern(failed);
    }
  }
  return verdicts;
}

}  // namespace kernelloop
