#include "bench/reference_judge.hpp"

#include "verify/elements.hpp"
#include "verify/families.hpp"
#include "verify/output_judge.hpp"
#include "verify/reference_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

std::vector<double> as_doubles(DType type, std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / info(type).size);
  with_reader(type, bytes.data(), [&](auto read) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(read(static_cast<std::int64_t>(i)));
    }
  });
  return values;
}

std::string failure_of(const OutputVerdict& output) {
  for (const Gate& gate : output.gates) {
    if (!gate.passed) {
      return fmt::format("output '{}': {} is {:.3g}, limit {:.3g}", output.name, gate.metric,
                         gate.value, gate.limit);
    }
  }
  return fmt::format("output '{}'", output.name);
}

std::optional<std::string> judge_case(const OpSpec& spec, const ReferenceLibrary& library,
                                      const WorkloadCase& one, const TensorArena& arena) {
  ReferenceInputs inputs;
  inputs.axes = one.axes;
  inputs.scalars = one.scalars;
  std::map<std::string, std::vector<double>> values;
  for (const Tensor& input : spec.inputs) {
    if (input.scalar) {
      continue;
    }
    const std::vector<double>& exact = values[input.name] =
        as_doubles(input.dtype, arena.bytes(input.name));
    inputs.tensors[input.name] = exact;
    inputs.finite = inputs.finite && std::all_of(exact.begin(), exact.end(),
                                                 [](double value) { return std::isfinite(value); });
  }
  // Nothing says what the outputs held before a timed launch; verification's poison is the guess.
  constexpr Poison k_poison;
  for (const OutputVerdict& output : judge_outputs(spec, one.axes, traits_of(nullptr, spec), arena,
                                                   library.run(spec, inputs), k_poison)) {
    if (!output.passed) {
      return failure_of(output);
    }
  }
  return std::nullopt;
}

}  // namespace

OutputJudge reference_judge(const OpSpec& spec, const std::filesystem::path& library) {
  return [&spec, library](const WorkloadCase& one, std::size_t set) {
    return judge_case(spec, ReferenceLibrary(library), one, one.sets.at(set));
  };
}

}  // namespace kernelloop
