// What the two halves of the benchmark share: the data, and how a rate is told.
#pragma once

#include "spec/dtype.hpp"
#include "verify/compare.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelloop::benchmark {

// A tensor [count / k_columns, k_columns], as a softmax or a norm would leave it, and a candidate
// that rounds like an honest kernel.
struct Sample {
  DType type = DType::bfloat16;
  std::vector<std::int64_t> shape;
  std::vector<double> reference;
  std::vector<std::byte> candidate;
  ErrorModel model;

  [[nodiscard]] double bytes() const {  // of both sides
    return static_cast<double>(reference.size() * sizeof(double) + candidate.size());
  }
};
inline constexpr std::int64_t k_columns = 4096;

// `count` is a multiple of k_columns.
Sample make_sample(DType type, std::int64_t count);

// Both print lines to standard output; `on_gpu` returns the exit code.
void on_cpu();
int on_gpu();

}  // namespace kernelloop::benchmark
