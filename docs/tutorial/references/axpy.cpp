#include <kernelloop/reference.h>

// Slow and obviously right: everything in double. This is what every kernel is held against.
KERNELLOOP_REFERENCE(axpy) {
  const double alpha = op.scalar("alpha");
  const auto x = op.input("x");
  const auto y = op.input("y");
  const auto z = op.output("z");
  op.parallel_for(op.axis("n"), [&](std::int64_t i) { z[i] = alpha * x[i] + y[i]; });
}
