#include "samples.hpp"

#include "verify/inputs.hpp"
#include "verify/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kernelloop::samples {
namespace {

constexpr std::byte k_poison{0xFF};

template <typename Real>
Values softmax_of(const Problem& problem, Real scale) {
  const Values& x = problem.inputs.at("x");
  Values y(x.size());
  const auto cols = static_cast<std::size_t>(problem.cols());
  for (std::size_t start = 0; start < x.size(); start += cols) {
    const auto highest = static_cast<Real>(*std::max_element(&x[start], &x[start] + cols));
    Real sum = 0;
    for (std::size_t i = start; i < start + cols; ++i) {
      sum += std::exp(static_cast<Real>(x[i]) - highest);
    }
    for (std::size_t i = start; i < start + cols; ++i) {
      y[i] = scale * (std::exp(static_cast<Real>(x[i]) - highest) / sum);
    }
  }
  return y;
}

template <typename Real>
Values rmsnorm_of(const Problem& problem) {
  const Values& x = problem.inputs.at("x");
  const Values& weight = problem.inputs.at("weight");
  Values y(x.size());
  const std::size_t cols = weight.size();
  for (std::size_t start = 0; start < x.size(); start += cols) {
    Real squares = 0;
    for (std::size_t i = 0; i < cols; ++i) {
      squares += static_cast<Real>(x[start + i]) * static_cast<Real>(x[start + i]);
    }
    const Real factor = Real(1) / std::sqrt(squares / static_cast<Real>(cols) + Real(1e-6f));
    for (std::size_t i = 0; i < cols; ++i) {
      y[start + i] = static_cast<Real>(x[start + i]) * factor * static_cast<Real>(weight[i]);
    }
  }
  return y;
}

// The same operator on tensors of another type.
OpSpec in_type(OpSpec spec, DType type) {
  for (Tensor& tensor : spec.inputs) {
    if (!tensor.scalar) tensor.dtype = type;
  }
  for (Tensor& tensor : spec.outputs) tensor.dtype = type;
  return spec;
}

}  // namespace

Values draw(const OpSpec& spec, const std::string& input, const Bindings& axes,
            const InputFamily* family, std::uint64_t seed) {
  const Tensor& tensor = *spec.find_tensor(input);
  Values values(static_cast<std::size_t>(element_count(tensor, axes)));
  std::vector<std::byte> bytes(values.size() * info(tensor.dtype).size);
  draw_input(spec, tensor, axes, {family, ""}, seed, bytes, values);
  return values;
}

OpSpec softmax() {
  static const OpSpec k_spec = load_op_spec(KERNELLOOP_TEST_OPS "/softmax/op.json");
  return k_spec;
}

OpSpec rmsnorm() {
  static const OpSpec k_spec = load_op_spec(KERNELLOOP_TEST_OPS "/rmsnorm/op.json");
  return k_spec;
}

OpSpec spec_from(const std::string& text) { return parse_op_spec(parse_json(text, "op.json")); }

OpSpec matvec() {
  return spec_from(R"({"name": "matvec", "description": "Matrix times vector",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
    "inputs": {"a": {"shape": ["rows", "cols"], "dtype": "float32"},
               "x": {"shape": ["cols"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["rows"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"rows": 64, "cols": 64}}]})");
}

Problem softmax_problem(std::int64_t rows, std::int64_t cols, std::uint64_t seed, double scale) {
  Problem problem = softmax_of_family(rows, cols, nullptr, seed, DType::bfloat16);
  problem.expected = softmax_of<double>(problem, scale);
  return problem;
}

Problem rmsnorm_problem(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  return rmsnorm_of_family(rows, cols, nullptr, seed, DType::bfloat16);
}

Problem softmax_of_family(std::int64_t rows, std::int64_t cols, const InputFamily* family,
                          std::uint64_t seed, DType type) {
  Problem problem{
      in_type(softmax(), type), {{"rows", rows}, {"cols", cols}}, {}, {rows, cols}, {}, {}};
  problem.inputs["x"] = draw(problem.spec, "x", problem.axes, family, seed);
  problem.expected = softmax_of<double>(problem, 1.0);
  problem.traits = traits_of(family, problem.spec);
  return problem;
}

Problem rmsnorm_of_family(std::int64_t rows, std::int64_t cols, const InputFamily* family,
                          std::uint64_t seed, DType type) {
  Problem problem{
      in_type(rmsnorm(), type), {{"rows", rows}, {"cols", cols}}, {}, {rows, cols}, {}, {}};
  problem.inputs["x"] = draw(problem.spec, "x", problem.axes, family, seed);
  problem.inputs["weight"] = draw(problem.spec, "weight", problem.axes, family, seed);
  problem.expected = rmsnorm_of<double>(problem);
  problem.traits = traits_of(family, problem.spec);
  return problem;
}

Values softmax_in_float(const Problem& problem) { return softmax_of<float>(problem, 1.0F); }
Values rmsnorm_in_float(const Problem& problem) { return rmsnorm_of<float>(problem); }

const Gate& Judgement::gate(const std::string& metric) const {
  for (const Gate& gate : gates) {
    if (gate.metric == metric) return gate;
  }
  throw std::out_of_range("no gate " + metric);
}

Judgement judge(const Problem& problem, const Values& candidate,
                const std::function<bool(std::int64_t)>& unwritten) {
  const Tensor& output = problem.spec.outputs.front();
  const std::size_t size = info(output.dtype).size;
  std::vector<std::byte> bytes(candidate.size() * size, k_poison);
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    if (unwritten && unwritten(static_cast<std::int64_t>(i))) continue;
    store_element(output.dtype, candidate[i], &bytes[i * size]);
  }
  std::vector<std::byte> copied;
  FailedOutput failed;
  for (const auto& [name, values] : problem.inputs) {
    const Tensor& input = *problem.spec.find_tensor(name);
    if (input.dtype != output.dtype || values.size() != candidate.size()) continue;
    copied.resize(bytes.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      store_element(input.dtype, values[i], &copied[i * size]);
    }
    failed.inputs[name] = copied;
  }
  const ReferenceScale scale =
      scale_of(problem.expected, problem.shape, 0,
               info(output.dtype).floating ? info(output.dtype).largest : HUGE_VAL);
  const TermMagnitude magnitude(scale, problem.magnitude, problem.traits.amplification);
  const ErrorModel model = error_model(problem.spec, output, problem.axes, problem.traits);
  Judgement judgement;
  judgement.metrics =
      compare(output.dtype, bytes.data(), problem.expected, scale, magnitude, model);
  judgement.gates = kernelloop::judge(problem.spec, output, model, judgement.metrics, scale);
  judgement.passed = std::all_of(judgement.gates.begin(), judgement.gates.end(),
                                 [](const Gate& gate) { return gate.passed; });
  if (!judgement.passed) {
    failed.type = output.dtype;
    failed.candidate = bytes.data();
    failed.poison = Poison(k_poison);
    failed.reference = problem.expected;
    failed.shape = problem.shape;
    failed.metrics = &judgement.metrics;
    failed.scale = &scale;
    failed.magnitude = &magnitude;
    failed.model = &model;
    judgement.pattern = describe_pattern(failed);
  }
  return judgement;
}

}  // namespace kernelloop::samples
