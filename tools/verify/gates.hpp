// Which metrics an output is judged by, and where their limits come from.
//
// The limits follow from the declared arithmetic. With u_out the unit roundoff of the output, u_acc
// that of the accumulation (2^-22 where 16-bit floats are accumulated in float32, 2^-13 for 8-bit
// floats: tensor cores align before they add), u_in = 2^-11 where float32 inputs may be cut to
// tfloat32, and K terms:
//
//   normwise     4 (u_out / sqrt(3) + u_in + u_acc sqrt(K)) + underflow / RMS, at most 0.25
//   elementwise  1, for |error| / (8 (u_out |ref| + (u_in + u_acc sqrt(K)) S) + underflow)
//
// and from these two, so that no gate contradicts another: psnr, cosine (low precision: outputs or
// accumulation of 16 bits or less), or rmse, psnr, max_abs, max_rel (full precision). Integers must
// be equal. `nonfinite` always gates: NaN, +inf and -inf stand where the reference has them.
// S is the magnitude of the terms (compare.hpp). Where the reference gives it, cancellation widens
// the normwise limit too: u_acc sqrt(K) times RMS(S) / RMS(ref).
//
// K is the largest of: the axes of the inputs' shapes, input elements per output element, and 16
// (every op rounds a few times). sqrt(K) because rounding errors are as good as random.
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
};

ErrorModel error_model(const OpSpec& spec, const Tensor& output, const Bindings& axes);

// Every gate of the output, passed or not. NaN never passes. Throws Error(bad_input) when the
// tolerance names a metric that does not exist.
std::vector<Gate> judge(const OpSpec& spec, const Tensor& output, const ErrorModel& model,
                        const Metrics& metrics, const ReferenceScale& scale);

// The metrics by name, in the order in which they are reported.
std::vector<std::pair<std::string, double>> named_metrics(const Metrics& metrics);

}  // namespace kernelloop
