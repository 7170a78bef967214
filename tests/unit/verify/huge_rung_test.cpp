// The rung huge, at sizes that a test can afford: the data repeats, so must the outputs.
#include <gmock/gmock.h>

#include "verify_fixture.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Huge : public Verify {
 protected:
  static constexpr std::int64_t k_rows = 12000;  // periods of 5456 rows of 96
  static constexpr std::int64_t k_cols = 96;

  Huge() {
    Json checks = read_json(options_.checks).value;
    checks["ladder"]["huge"] = {{"axis", "rows"},
                                {"shapes", {{{"rows", k_rows}, {"cols", k_cols}}}}};
    write_file_atomic(options_.checks, to_text(checks));
    options_.only_rung = "huge";
    memory_bytes_ = std::int64_t{1} << 40;
  }

  static std::string pattern(const VerifyResult& result) {
    return last_case(result).at("outputs").at(0).at("pattern").get<std::string>();
  }
};

TEST_F(Huge, ARightKernelPassesAtTheWholeShape) {
  std::int64_t rows = 0;
  const VerifyResult result = verify([&](const FakeLaunch& launch) {
    rows = launch.rows;
    return softmax_kernel(launch);
  });
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
  EXPECT_EQ(rows, k_rows);
  EXPECT_EQ(last_case(result).at("axes").at("rows"), k_rows);
}

TEST_F(Huge, TheDataRepeatsWithAPeriodOfSixteenTimesAnOddNumber) {
  verify([&](const FakeLaunch& launch) {
    const std::vector<double> x = launch.read("x");
    std::int64_t period = 1;
    while (x[static_cast<std::size_t>(period * k_cols)] != x[0] ||
           x[static_cast<std::size_t>(period * k_cols) + 1] != x[1]) {
      ++period;
    }
    EXPECT_EQ(period % 16, 0);
    EXPECT_EQ(period / 16 % 2, 1);
    return softmax_kernel(launch);
  });
}

TEST_F(Huge, WhatGoesWrongLateIsFoundThere) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    launch.write("y", (k_rows - 1) * k_cols, 7.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(pattern(result), StartsWith("right for the first "));
  EXPECT_THAT(pattern(result), HasSubstr("do indices fit into 32 bits?"));
}

TEST_F(Huge, AnUnwrittenTailIsFound) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    const auto y = launch.arena.bytes("y");
    const std::vector<std::byte> poisoned(y.begin(), y.end());
    softmax_kernel(launch);
    std::copy(poisoned.end() - 64, poisoned.end(), y.end() - 64);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
}

TEST_F(Huge, WhatIsWrongFromTheStartIsJudgedAsUsual) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    for (std::int64_t i = 0; i < launch.rows * launch.cols; ++i) launch.write("y", i, 0.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(pattern(result), testing::Not(HasSubstr("right for the first")));
}

TEST_F(Huge, OtherBitsWithinTheBoundsAreFine) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    nudge(launch, k_rows - 1, k_cols - 1);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
}

TEST_F(Huge, ADeviceWithTooLittleMemoryIsSkippedAndSaysSo) {
  memory_bytes_ = 1 << 20;
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::skipped);
  EXPECT_EQ(last_case(result).at("status"), "skipped");
  EXPECT_EQ(last_case(result).at("note"), "needs 4 MiB on the device, which has 1 MiB");
}

TEST_F(Huge, OnlyWhenNamed) {
  options_.only_rung.clear();
  options_.device = "cpu";
  options_.sanitizer = true;
  for (const std::string& name : rung_names(verify(softmax_kernel))) EXPECT_NE(name, "huge");
}

TEST_F(Huge, IsSkippedOnAnEmulation) {
  options_.device = "cpu";
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::skipped);
  EXPECT_THAT(result.summary, HasSubstr("the device is emulated"));
}

}  // namespace
}  // namespace kernelloop
