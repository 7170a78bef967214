// Softmax over the last axis: y[row][i] = exp(x[row][i]) / sum_j exp(x[row][j]).
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>

KERNELLOOP_REFERENCE(softmax) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto x = op.input("x");
  const auto y = op.output("y");
  op.parallel_for(rows, [&](std::int64_t row) {
    const double* in = x.data() + row * cols;
    double* out = y.data() + row * cols;
    const double highest = *std::max_element(in, in + cols);
    double sum = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) {
      out[i] = std::exp(in[i] - highest);
      sum += out[i];
    }
    for (std::int64_t i = 0; i < cols; ++i) out[i] /= sum;
  });
}
