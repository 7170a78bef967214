// The whole ladder with functions in place of kernels: what its tests share.
#pragma once

#include "support/files.hpp"
#include "verify/rules.hpp"
#include "verify/verify.hpp"

#include <gtest/gtest.h>

#include "fake_executor.hpp"
#include "samples.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {

// Right, and rounded like a careful kernel.
inline RunResult softmax_kernel(const FakeLaunch& launch) {
  const std::vector<double> x = launch.read("x");
  for (std::int64_t row = 0; row < launch.rows; ++row) {
    const double* in = x.data() + row * launch.cols;
    const double highest = *std::max_element(in, in + launch.cols);
    // One float32 sum of 65,536 equal terms would round in the same direction again and again.
    double sum = 0;
    for (std::int64_t i = 0; i < launch.cols; ++i) {
      sum += std::exp(static_cast<float>(in[i] - highest));
    }
    for (std::int64_t i = 0; i < launch.cols; ++i) {
      launch.write("y", row * launch.cols + i, std::exp(static_cast<float>(in[i] - highest)) / sum);
    }
  }
  return {};
}

// Rounds y[row, column] to the other side of its exact value, as another order of the sum may do.
inline void nudge(const FakeLaunch& launch, std::int64_t row, std::int64_t column) {
  if (launch.cols < 90) return;  // where few are added up, there is no room for it
  const std::vector<double> x = launch.read("x");
  const double* in = x.data() + row * launch.cols;
  double sum = 0;
  for (std::int64_t i = 0; i < launch.cols; ++i) sum += std::exp(in[i] - in[column]);
  const std::int64_t element = row * launch.cols + column;
  const double rounded = launch.read("y")[static_cast<std::size_t>(element)];
  const double up = std::ldexp(1.0, std::ilogb(rounded) - 7);
  const double down = std::ldexp(1.0, std::ilogb(std::nextafter(rounded, 0.0)) - 7);
  launch.write("y", element, rounded + (1.0 / sum > rounded ? up : -down));
}

// The column of the least y of a row: what is nudged there is next to nothing of the output as a
// whole, where the greatest, in a row that it rules, may take more than the bounds leave.
inline std::int64_t least_of(const FakeLaunch& launch, std::int64_t row) {
  const std::vector<double> x = launch.read("x");
  const double* in = x.data() + row * launch.cols;
  return std::min_element(in, in + launch.cols) - in;
}

inline RunResult fault(FaultKind kind, const std::string& message) { return {{kind, message}, {}}; }

class Verify : public testing::Test {
 protected:
  Verify() {
    const SpecParts parts = split_spec(read_json(KERNELLOOP_TEST_OPS "/softmax/op.json"));
    write_file_atomic(path("contract.json"), to_text(parts.contract));
    write_file_atomic(path("checks.json"), to_text(parts.checks));
    options_.contract = path("contract.json");
    options_.checks = path("checks.json");
    options_.compiled = path("compile.json");
    options_.reference = KERNELLOOP_TEST_SOFTMAX;
    options_.device = "cuda";
    options_.rules = k_verification_rules;
    compiled_ = {{"schema_version", 1},
                 {"op", "softmax"},
                 {"version", "v003"},
                 {"status", "compiled"},
                 {"source_sha256", "abc"},
                 {"problems", Json::array()},
                 {"plan", Json::parse(R"({"workspace_bytes": "0", "launches": [
                     {"kernel": "k", "grid": ["rows"], "block": ["256"], "args": ["x", "y", "cols"]}]})")},
                 {"kernels", Json::parse(R"([{"name": "k", "parameters": [
                     {"offset": 0, "size": 8}, {"offset": 8, "size": 8}, {"offset": 16, "size": 4}],
                     "max_threads_per_block": 1024, "required_block": null, "static_shared_bytes": 0}])")},
                 {"artifacts",
                  {{"cuda", {{"status", "built"}, {"cubin", "/x/kernel.cubin"}}},
                   {"cpu", {{"status", "built"}, {"library", "/x/kernel.so"}}}}}};
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return directory_.path() / name;
  }

  VerifyResult verify(const FakeExecutor::Kernel& kernel) {
    write_file_atomic(path("compile.json"), to_text(compiled_));
    return run_verify(options_, [&](const CompiledVersion&) {
      auto executor = std::make_unique<FakeExecutor>(options_.device, kernel, tools_);
      executor->set_memory(memory_bytes_);
      return executor;
    });
  }

  // The only case of the last rung.
  static const Json& last_case(const VerifyResult& result) {
    return result.json.at("rungs").back().at("cases").back();
  }
  static std::vector<std::string> rung_names(const VerifyResult& result) {
    std::vector<std::string> names;
    for (const Json& rung : result.json.at("rungs")) names.push_back(rung.at("name"));
    return names;
  }

  TemporaryDirectory directory_;
  VerifyOptions options_;
  Json compiled_;
  FakeExecutor::Tools tools_;  // in place of compute-sanitizer
  std::int64_t memory_bytes_ = 0;
};

}  // namespace kernelloop
