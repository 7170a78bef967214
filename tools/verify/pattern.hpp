// Says in words where an output is wrong: what a person or a model needs to find the bug.
#pragma once

#include "device/poison.hpp"
#include "verify/compare.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {

// A failed output beside what it should be.
struct FailedOutput {
  DType type = DType::float32;
  const std::byte* candidate = nullptr;
  Poison poison;  // what it held before the launch
  std::span<const double> reference;
  std::vector<std::int64_t> shape;
  const Metrics* metrics = nullptr;
  const ReferenceScale* scale = nullptr;
  const TermMagnitude* magnitude = nullptr;
  const ErrorModel* model = nullptr;
  std::map<std::string, std::span<const std::byte>> inputs;  // of the same dtype and element count
};

// Whether `got` is not what element `index` may be.
bool is_wrong(const FailedOutput& output, double got, std::int64_t index);

// One sentence, such as "only columns from 4096 on are wrong (the tail beyond a multiple of 256)".
std::string describe_pattern(const FailedOutput& output);

// The index of a flat element: {3, 17}.
std::vector<std::int64_t> unravel(std::int64_t flat, const std::vector<std::int64_t>& shape);
// "[3, 17]"
std::string index_text(std::int64_t flat, const std::vector<std::int64_t>& shape);

}  // namespace kernelloop
