// The k greatest elements of each row in descending order; among equal ones the lower column first.
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

KERNELLOOP_REFERENCE(top_k) {
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const std::int64_t k = op.axis("k");
  const auto x = op.input("x");
  const auto values = op.output("values");
  const auto indices = op.output("indices");
  const auto magnitude = op.magnitude("values");
  op.parallel_for(rows, [&](std::int64_t row) {
    const double* in = x.data() + row * cols;
    std::vector<std::int64_t> order(static_cast<std::size_t>(cols));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const auto comes_first = [in](std::int64_t a, std::int64_t b) {
      if (std::isnan(in[a]) != std::isnan(in[b])) return std::isnan(in[a]);
      if (in[a] != in[b] && !std::isnan(in[a])) return in[a] > in[b];
      return a < b;
    };
    std::partial_sort(order.begin(), order.begin() + k, order.end(), comes_first);
    for (std::int64_t i = 0; i < k; ++i) {
      const std::int64_t col = order[static_cast<std::size_t>(i)];
      values[row * k + i] = in[col];
      magnitude[row * k + i] = std::fabs(in[col]);
      indices[row * k + i] = static_cast<double>(col);
    }
  });
}
