// Families and an operator to draw their values for.
#pragma once

#include "verify/families.hpp"

#include <fmt/format.h>

#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace kernelloop {

inline const InputFamily& family(const std::string& name) {
  for (const InputFamily& each : input_families()) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(name);
}

// x[rows][cols] and a vector of the same last axis, in the given types and with members of values.
inline OpSpec spec_with(const std::string& dtype,
                        const std::string& values = R"("family": "normal")",
                        const std::string& precision = "{}") {
  return samples::spec_from(fmt::format(
      R"({{"name": "op", "axes": {{"rows": {{"type": "var"}}, "cols": {{"type": "var"}}}},
      "inputs": {{"x": {{"shape": ["rows", "cols"], "dtype": "{0}", "values": {{{1}}}}},
                  "w": {{"shape": ["cols"], "dtype": "{0}"}},
                  "i": {{"shape": ["rows"], "dtype": "int64",
                         "values": {{"family": "integers", "low": 0, "high": "cols - 1",
                                     "special": {{"value": -100, "share": 0.1}}}}}}}},
      "outputs": {{"y": {{"shape": ["rows", "cols"], "dtype": "{0}"}}}},
      "precision": {2},
      "workloads": [{{"name": "w", "axes": {{"rows": 4, "cols": 4}}}}]}})",
      dtype, values, precision));
}

inline samples::Values drawn(const OpSpec& spec, const std::string& name,
                             const std::string& input = "x", std::int64_t rows = 12,
                             std::int64_t cols = 40, std::uint64_t seed = 7) {
  return samples::draw(spec, input, {{"rows", rows}, {"cols", cols}}, &family(name), seed);
}

inline double largest(const samples::Values& values) {
  double size = 0.0;
  for (const double value : values) size = std::max(size, std::fabs(value));
  return size;
}

}  // namespace kernelloop
