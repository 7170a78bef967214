// Which metrics an output is judged by, and where their limits come from.
//
// The limits follow from the declared arithmetic (docs/verification.md derives them). u_out is the
// unit roundoff of the output; u_acc that of the accumulation, at least 2^-22 where 16-bit floats
// are added up and 2^-13 for 8-bit floats (tensor cores align before they add); u_in = 2^-11 where
// float32 inputs may be cut to tfloat32; u_mid that of a declared intermediate type; K the terms of
// one output element; S the magnitude of the terms (compare.hpp); a = u_acc sqrt(K), t = u_in +
// u_mid.
//
//   normwise     min(0.25, 1.1 r + 4 a C + 2.5 t C') + underflow / RMS(ref)
//   elementwise  1, for |error| / (2 u_out |ref| + 8 (a + t) S + underflow)
//
// r is what rounding the reference itself to the output's type costs, normwise: no result of that
// type does better, and one rounding to nearest of a good result does no worse. C is how much terms
// exceed results, RMS(S) / RMS(ref), at least 1; C' the same. Where the terms have random signs,
// their partial sums grow as sqrt(K) only: C = max(1, 4 RMS(S) / (sqrt(K) RMS(ref))), and C' with
// 1.5 for 4. Where terms cancel so far that the limit would exceed 0.25, an honest error is a large
// part of the result: normwise and what follows from it do not gate then.
//
// From these two follow, so that no gate contradicts another: psnr, cosine (low precision: outputs
// or accumulation of 16 bits or less), or rmse, psnr, max_abs, max_rel (full precision). Integers
// must be equal, and so must everything on data of which each result is exact. `nonfinite` always
// gates: NaN, +inf and -inf stand where the reference has them.
//
// K is `precision.terms` of the spec, else the largest of the axes of the inputs' shapes and of
// input elements per output element; at least 16 (every op rounds a few times). sqrt(K) because
// rounding errors are as good as random; K where a family's terms are alike (each addition then
// rounds as the last one did) or a few exceed the rest by far (what is added to them is lost).
//
// The op spec's `tolerance` replaces the limit of a metric or adds a metric to the gates. A spec
// that widens normwise or elementwise widens what follows from them too.
#pragma once

#include "spec/op_spec.hpp"
#include "verify/compare.hpp"

#include <string>
#include <vector>

namespace kernelloop {

struct Gate {
  std::string metric;
  double limit = 0.0;
  double value = 0.0;
  bool passed = false;
  // How much of what the limit allows is used up: at most 1 where it passed. For psnr and cosine,
  // where larger is better, of the error that the limit stands for.
  double margin = 0.0;
};

// What is known about the data of a case.
struct DataTraits {
  bool random_signs = false;
  double amplification = 1.0;
  bool rounds_one_way = false;
  bool exact = false;
  bool free_where_undefined = false;  // NaN of the reference binds nobody
};

// K of the bounds.
double term_count(const OpSpec& spec, const Bindings& axes);

ErrorModel error_model(const OpSpec& spec, const Tensor& output, const Bindings& axes,
                       const DataTraits& traits = {});

// Every gate of the output, passed or not. NaN never passes. Throws Error(bad_input) when the
// tolerance names a metric that does not exist.
std::vector<Gate> judge(const OpSpec& spec, const Tensor& output, const ErrorModel& model,
                        const Metrics& metrics, const ReferenceScale& scale);

// The metrics by name, in the order in which they are reported.
std::vector<std::pair<std::string, double>> named_metrics(const Metrics& metrics);

}  // namespace kernelloop
