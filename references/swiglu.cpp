// SwiGLU: y = gate / (1 + exp(-gate)) * up, element by element.
#include <kernelloop/reference.h>

#include <cmath>

KERNELLOOP_REFERENCE(swiglu) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto gate = op.input("gate");
  const auto up = op.input("up");
  const auto y = op.output("y");
  op.parallel_for(rows, [&](std::int64_t row) {
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      y[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
    }
  });
}
