// Quantisation of each row to 8 bits: scale = m / 127, q = 127 * x / m rounded to the nearest
// integer (halves to even), where m is the greatest |x| of the row.
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>

KERNELLOOP_REFERENCE(quantize_int8) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto x = op.input("x");
  const auto q = op.output("q");
  const auto scale = op.output("scale");
  const auto magnitude = op.magnitude("scale");
  op.parallel_for(rows, [&](std::int64_t row) {
    double largest = 0.0;
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      largest = std::max(largest, std::fabs(x[i]));
    }
    scale[row] = largest / 127.0;
    magnitude[row] = scale[row];
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      q[i] = largest > 0.0 ? std::nearbyint(127.0 * x[i] / largest) : 0.0;
    }
  });
}
