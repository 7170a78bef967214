#include "verify/output_judge.hpp"

#include "verify/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

// The greatest of what the neighbours' results say of each element's terms, what the probe saw of
// them, and what it saw of the neighbours'.
std::vector<double> probed_terms(const ReferenceOutput& reference, double amplification) {
  std::vector<double> terms = reference.probed_terms;
  if (terms.empty()) return terms;
  constexpr double limit = std::numeric_limits<double>::max();
  const ReferenceScale seen = scale_of(terms, reference.shape, 0, limit);
  const TermMagnitude by_results(reference.scale, {}, amplification);
  const TermMagnitude by_terms(seen, {});
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    terms[i] = std::max(by_terms.at(index, terms[i]),
                        by_results.at(index, std::fabs(reference.values[i])));
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
    ErrorModel model = error_model(spec, tensor, axes, traits);
    // A draw of signs has shown a random walk of the terms, which is what they come to already.
    if (!probed.empty()) model.random_signs = false;

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
