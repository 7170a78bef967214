// SwiGLU: y = gate / (1 + exp(-gate)) * up, element by element.
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>

KERNELLOOP_REFERENCE(swiglu) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto gate = op.input("gate");
  const auto up = op.input("up");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  // exp(-gate) overflows in float32 from there on; an honest quotient is 0 then.
  constexpr double k_largest_exponent = 88.0;
  constexpr double k_beyond_exp = 1e-30;
  op.parallel_for(rows, [&](std::int64_t row) {
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      y[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
      // A rounding of the exponent is a relative error as large as the exponent.
      const double exponent = std::clamp(-gate[i], 0.0, k_largest_exponent);
      magnitude[i] = std::fabs(y[i]) * (1.0 + exponent) + k_beyond_exp * std::fabs(up[i]);
    }
  });
}
