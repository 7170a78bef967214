// Matrix product with a transposed right factor: c[i][j] = sum_l a[i][l] * b[j][l].
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>

KERNELLOOP_REFERENCE(gemm_bf16) {
  const std::int64_t m = op.axis("m");
  const std::int64_t n = op.axis("n");
  const std::int64_t k = op.axis("k");
  const auto a = op.input("a");
  const auto b = op.input("b");
  const auto c = op.output("c");
  const auto magnitude = op.magnitude("c");
  // In tiles of the result, only so that the factors stay in the cache.
  constexpr std::int64_t tile = 16;
  const std::int64_t tiles_across = (n + tile - 1) / tile;
  op.parallel_for((m + tile - 1) / tile * tiles_across, [&](std::int64_t number) {
    const std::int64_t first_row = number / tiles_across * tile;
    const std::int64_t first_col = number % tiles_across * tile;
    for (std::int64_t i = first_row; i < std::min(m, first_row + tile); ++i) {
      for (std::int64_t j = first_col; j < std::min(n, first_col + tile); ++j) {
        double sum = 0.0;
        double terms = 0.0;
        for (std::int64_t l = 0; l < k; ++l) {
          const double term = a[i * k + l] * b[j * k + l];
          sum += term;
          terms += std::fabs(term);
        }
        c[i * n + j] = sum;
        magnitude[i * n + j] = terms;
      }
    }
  });
}
