// Specs, data and candidates that the tests of the verifier share.
#pragma once

#include "spec/op_spec.hpp"
#include "verify/families.hpp"
#include "verify/gates.hpp"
#include "verify/reference_library.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kernelloop::samples {

// The specs that ship (ops/softmax, ops/rmsnorm).
OpSpec softmax();
OpSpec rmsnorm();
// y[i] = sum_j a[i][j] x[j] in float32: terms cancel.
OpSpec matvec();
OpSpec spec_from(const std::string& text);

using Values = std::vector<double>;

// One op with its inputs (rounded to their dtypes) and its exact output.
struct Problem {
  OpSpec spec;
  Bindings axes;
  std::map<std::string, Values> inputs;
  std::vector<std::int64_t> shape;
  Values expected;
  Values magnitude;  // may be empty
  DataTraits traits = {};

  [[nodiscard]] std::int64_t rows() const { return shape.at(0); }
  [[nodiscard]] std::int64_t cols() const { return shape.size() > 1 ? shape[1] : 1; }
};
Problem softmax_problem(std::int64_t rows, std::int64_t cols, std::uint64_t seed = 1,
                        double scale = 1.0);
Problem rmsnorm_problem(std::int64_t rows, std::int64_t cols, std::uint64_t seed = 1);
// The same with inputs of a family (nullptr: the spec's own), in any type.
Problem softmax_of_family(std::int64_t rows, std::int64_t cols, const InputFamily* family,
                          std::uint64_t seed, DType type);
Problem rmsnorm_of_family(std::int64_t rows, std::int64_t cols, const InputFamily* family,
                          std::uint64_t seed, DType type);
// The elements of an input of a case, rounded to its dtype.
Values draw(const OpSpec& spec, const std::string& input, const Bindings& axes,
            const InputFamily* family, std::uint64_t seed);

// As a careful kernel computes it: float32 throughout.
Values softmax_in_float(const Problem& problem);
Values rmsnorm_in_float(const Problem& problem);

// What the verifier says about a candidate's values, after rounding them to the output's dtype.
struct Judgement {
  bool passed = false;
  Metrics metrics;
  std::vector<Gate> gates;
  std::string pattern;

  [[nodiscard]] const Gate& gate(const std::string& metric) const;
};
// `unwritten(i)`: leave element i as the poison left it.
Judgement judge(const Problem& problem, const Values& candidate,
                const std::function<bool(std::int64_t)>& unwritten = nullptr);

}  // namespace kernelloop::samples
