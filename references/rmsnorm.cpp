// RMSNorm over the last axis: y[row][i] = x[row][i] / sqrt(mean_j x[row][j]^2 + eps) * weight[i].
#include <kernelloop/reference.h>

#include <cmath>

KERNELLOOP_REFERENCE(rmsnorm) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const double eps = op.scalar("eps");
  const auto x = op.input("x");
  const auto weight = op.input("weight");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  op.parallel_for(rows, [&](std::int64_t row) {
    const double* in = x.data() + row * cols;
    double* out = y.data() + row * cols;
    double* terms = magnitude.data() + row * cols;
    double squares = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) squares += in[i] * in[i];
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(cols) + eps);
    for (std::int64_t i = 0; i < cols; ++i) {
      out[i] = in[i] * scale * weight[i];
      terms[i] = std::fabs(out[i]);  // squares do not cancel
    }
  });
}
