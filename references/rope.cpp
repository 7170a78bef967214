// Rotary position embedding: element i of the first half of a head and element i of the second half
// are rotated by the angle i of their token.
#include <kernelloop/reference.h>

#include <cmath>

KERNELLOOP_REFERENCE(rope) {
  const std::int64_t tokens = op.axis("tokens");
  const std::int64_t heads = op.axis("heads");
  const std::int64_t dim = op.axis("head_dim");
  const std::int64_t half = op.axis("half");
  const auto x = op.input("x");
  const auto cosine = op.input("cosine");
  const auto sine = op.input("sine");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  op.parallel_for(tokens * heads, [&](std::int64_t row) {
    const std::int64_t token = row / heads;
    for (std::int64_t i = 0; i < half; ++i) {
      const std::int64_t lower = row * dim + i;
      const std::int64_t upper = lower + half;
      const double c = cosine[token * half + i];
      const double s = sine[token * half + i];
      y[lower] = x[lower] * c - x[upper] * s;
      y[upper] = x[upper] * c + x[lower] * s;
      magnitude[lower] = std::fabs(x[lower] * c) + std::fabs(x[upper] * s);
      magnitude[upper] = std::fabs(x[upper] * c) + std::fabs(x[lower] * s);
    }
  });
}
