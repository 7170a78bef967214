// Back from 8 bits: y[row][i] = q[row][i] * scale[row].
#include <kernelloop/reference.h>

#include <cmath>

KERNELLOOP_REFERENCE(dequantize_int8) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto q = op.input("q");
  const auto scale = op.input("scale");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  op.parallel_for(rows, [&](std::int64_t row) {
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      y[i] = q[i] * scale[row];
      magnitude[i] = std::fabs(y[i]);
    }
  });
}
