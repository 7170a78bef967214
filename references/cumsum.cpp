// Cumulative sum over the last axis: y[row][i] = sum of x[row][0] to x[row][i].
#include <kernelloop/reference.h>

#include <cmath>

KERNELLOOP_REFERENCE(cumsum) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto x = op.input("x");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  op.parallel_for(rows, [&](std::int64_t row) {
    double sum = 0.0;
    double terms = 0.0;
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      sum += x[i];
      terms += std::fabs(x[i]);
      y[i] = sum;
      magnitude[i] = terms;
    }
  });
}
