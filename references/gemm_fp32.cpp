// Matrix product: c[i][j] = sum_l a[i][l] * b[l][j].
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>

KERNELLOOP_REFERENCE(gemm_fp32) {
  const std::int64_t m = op.axis("m");
  const std::int64_t n = op.axis("n");
  const std::int64_t k = op.axis("k");
  const auto a = op.input("a");
  const auto b = op.input("b");
  const auto c = op.output("c");
  const auto magnitude = op.magnitude("c");
  // A piece of a row of the result at a time, only so that it stays in the cache.
  constexpr std::int64_t piece = 64;
  const std::int64_t pieces = (n + piece - 1) / piece;
  op.parallel_for(m * pieces, [&](std::int64_t number) {
    const std::int64_t i = number % m;
    const std::int64_t first = number / m * piece;
    const std::int64_t width = std::min(n - first, piece);
    double sum[piece] = {};
    double terms[piece] = {};
    for (std::int64_t l = 0; l < k; ++l) {
      for (std::int64_t j = 0; j < width; ++j) {
        const double term = a[i * k + l] * b[l * n + first + j];
        sum[j] += term;
        terms[j] += std::fabs(term);
      }
    }
    std::copy(sum, sum + width, c.data() + i * n + first);
    std::copy(terms, terms + width, magnitude.data() + i * n + first);
  });
}
