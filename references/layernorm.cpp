// Layer normalisation over the last axis:
// y[row][i] = (x[row][i] - mean) / sqrt(variance + eps) * weight[i] + bias[i].
#include <kernelloop/reference.h>

#include <cmath>

KERNELLOOP_REFERENCE(layernorm) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const double eps = op.scalar("eps");
  const auto x = op.input("x");
  const auto weight = op.input("weight");
  const auto bias = op.input("bias");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  op.parallel_for(rows, [&](std::int64_t row) {
    const double* in = x.data() + row * cols;
    const auto count = static_cast<double>(cols);
    double mean = 0.0;
    double mean_size = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) {
      mean += in[i];
      mean_size += std::fabs(in[i]);
    }
    // Divided once, so that an element that equals the mean differs from it by 0: an infinite
    // weight makes NaN of that.
    mean /= count;
    mean_size /= count;
    double variance = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) variance += (in[i] - mean) * (in[i] - mean) / count;
    const double scale = 1.0 / std::sqrt(variance + eps);
    for (std::int64_t i = 0; i < cols; ++i) {
      const double gain = scale * weight[i];
      y[row * cols + i] = (in[i] - mean) * gain + bias[i];
      // The mean is taken off again, so its terms count however small the difference is.
      magnitude[row * cols + i] =
          (std::fabs(in[i]) + mean_size) * std::fabs(gain) + std::fabs(bias[i]);
    }
  });
}
