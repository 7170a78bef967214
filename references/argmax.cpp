// The column of the greatest element of each row; among equal ones the lowest, NaN before all.
#include <kernelloop/reference.h>

#include <cmath>

KERNELLOOP_REFERENCE(argmax) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto x = op.input("x");
  const auto index = op.output("index");
  op.parallel_for(rows, [&](std::int64_t row) {
    const double* in = x.data() + row * cols;
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < cols; ++i) {
      if (std::isnan(in[best])) break;
      if (in[i] > in[best] || std::isnan(in[i])) best = i;
    }
    index[row] = static_cast<double>(best);
  });
}
