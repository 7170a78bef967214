// Counts the positive elements of each row.
#include <kernelloop/reference.h>

KERNELLOOP_REFERENCE(count) {
  const auto x = op.input("x");
  const auto y = op.output("y");
  const std::int64_t cols = op.axis("cols");
  op.parallel_for(op.axis("rows"), [&](std::int64_t row) {
    double positive = 0;
    for (std::int64_t col = 0; col < cols; ++col) positive += x[row * cols + col] > 0 ? 1 : 0;
    y[row] = positive;
  });
}
