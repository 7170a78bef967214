// Causal attention: query i takes the values of the keys j <= i + keys - queries, weighted by the
// softmax of its scores.
#include <kernelloop/reference.h>

#include <algorithm>
#include <cmath>
#include <vector>

KERNELLOOP_REFERENCE(attention_causal) {
  const std::int64_t heads = op.axis("heads");
  const std::int64_t queries = op.axis("queries");
  const std::int64_t keys = op.axis("keys");
  const std::int64_t dim = op.axis("head_dim");
  const auto q = op.input("q");
  const auto k = op.input("k");
  const auto v = op.input("v");
  const auto y = op.output("y");
  const auto magnitude = op.magnitude("y");
  const double scale = 1.0 / std::sqrt(static_cast<double>(dim));
  op.parallel_for(heads * queries, [&](std::int64_t row) {
    const std::int64_t head = row / queries;
    const std::int64_t visible = keys - queries + row % queries + 1;
    const double* query = q.data() + row * dim;
    std::vector<double> weight(static_cast<std::size_t>(visible));
    std::vector<double> score_size(static_cast<std::size_t>(visible));
    for (std::int64_t j = 0; j < visible; ++j) {
      const double* key = k.data() + (head * keys + j) * dim;
      double score = 0.0;
      double size = 0.0;
      for (std::int64_t d = 0; d < dim; ++d) {
        score += query[d] * key[d] * scale;
        size += std::fabs(query[d] * key[d]) * scale;
      }
      weight[static_cast<std::size_t>(j)] = score;
      score_size[static_cast<std::size_t>(j)] = size;
    }
    const double highest = *std::max_element(weight.begin(), weight.end());
    double sum = 0.0;
    for (double& each : weight) {
      each = std::exp(each - highest);
      sum += each;
    }
    double* out = y.data() + row * dim;
    double* terms = magnitude.data() + row * dim;
    std::fill(out, out + dim, 0.0);
    for (std::int64_t j = 0; j < visible; ++j) {
      const double* value = v.data() + (head * keys + j) * dim;
      const double share = weight[static_cast<std::size_t>(j)] / sum;
      // An error of a score is a relative error of its weight, but for a single key, whose weight
      // is 1 whatever the score is.
      const double size =
          visible == 1 ? share : share * (1.0 + score_size[static_cast<std::size_t>(j)]);
      for (std::int64_t d = 0; d < dim; ++d) {
        out[d] += share * value[d];
        terms[d] += size * std::fabs(value[d]);
      }
    }
  });
}
