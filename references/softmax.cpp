// Softmax over the last axis: y[row][i] = exp(x[row][i]) / sum_j exp(x[row][j]).
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>

KERNELLOOP_REFERENCE(softmax) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto x = op.input("x");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  const double root = std::sqrt(static_cast<double>(cols));
  op.parallel_for(rows, [&](std::int64_t row) {
    const double* in = x.data() + row * cols;
    double* out = y.data() + row * cols;
    double* terms = magnitude.data() + row * cols;
    const double highest = *std::max_element(in, in + cols);
    double sum = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) {
      out[i] = std::exp(in[i] - highest);
      sum += out[i];
    }
    for (std::int64_t i = 0; i < cols; ++i) {
      out[i] /= sum;
      // Nothing cancels, so that the smallest is as exact as the greatest. A rounding of the
      // exponent is one for each result, not one for each term of the sum.
      terms[i] = out[i] > 0.0 ? out[i] * (1.0 + (highest - in[i]) / root) : 0.0;
    }
  });
}
