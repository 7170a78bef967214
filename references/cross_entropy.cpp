// Cross entropy of each row against its target class:
// loss[row] = log(sum_j exp(logits[row][j])) - logits[row][target], and 0 where the target is -100.
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>

KERNELLOOP_REFERENCE(cross_entropy) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t classes = op.axis("classes");
  const auto logits = op.input("logits");
  const auto targets = op.input("targets");
  const auto loss = op.output("loss");
  const auto magnitude = op.magnitude("loss");
  op.parallel_for(rows, [&](std::int64_t row) {
    const auto target = static_cast<std::int64_t>(targets[row]);
    loss[row] = 0.0;
    magnitude[row] = 0.0;
    if (target == -100) return;
    const double* in = logits.data() + row * classes;
    const double highest = *std::max_element(in, in + classes);
    double sum = 0.0;
    for (std::int64_t i = 0; i < classes; ++i) sum += std::exp(in[i] - highest);
    loss[row] = std::log(sum) + (highest - in[target]);
    // An error of the sum, which is at least 1, is one of its logarithm, even where that is 0.
    magnitude[row] = loss[row] + 1.0;
  });
}
