// Transposition: y[col][row] = x[row][col].
#include <kernelloop/reference.h>

KERNELLOOP_REFERENCE(transpose) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto x = op.input("x");
  const auto y = op.output("y");
  op.parallel_for(cols, [&](std::int64_t col) {
    for (std::int64_t row = 0; row < rows; ++row) y[col * rows + row] = x[row * cols + col];
  });
}
