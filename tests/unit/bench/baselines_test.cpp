#include "bench/baselines.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>

#include "bench_fixture.hpp"
#include "scripted_device.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

class BaselinesTest : public testing::Test {
 protected:
  BaselinesTest() {
    request_.spec = &spec_;
    request_.libraries = {"/x/cub.so", "/x/ours.so"};
    request_.device = "cuda";
    request_.cache_dir = directory_.path();
    request_.judge = [this](const WorkloadCase&, std::size_t) -> std::optional<std::string> {
      ++judged_;
      return wrong_.empty() ? std::nullopt : std::optional<std::string>(wrong_);
    };
  }

  TemporaryDirectory directory_;
  OpSpec spec_ = scale_spec();
  BaselinesRequest request_;
  ScriptedDevice device_;
  std::string wrong_;
  int judged_ = 0;
};

TEST_F(BaselinesTest, AreJudgedByTheReferenceAndTimedAsVersionsAre) {
  const Json report = bench_baselines(request_, device_);
  ASSERT_EQ(report.at("baselines").size(), 2u);
  const Json& cub = report.at("baselines").at(0);
  EXPECT_EQ(cub.at("name"), "cub");
  EXPECT_EQ(cub.at("status"), "measured");
  EXPECT_EQ(cub.at("workloads").at(1).at("median_us"), 12);
  EXPECT_NEAR(cub.at("summary").at("time_us"), 12, 1e-9);
  EXPECT_EQ(report.at("ceilings").at("roofs").at("copy"), 4e11);
  // Two baselines, two workloads, four sets of data.
  EXPECT_EQ(judged_, 16);
  EXPECT_EQ(baselines_text(report), "scale baseline cub  12.0 µs\nscale baseline ours  12.0 µs\n");
}

TEST_F(BaselinesTest, AWrongOneIsNone) {
  wrong_ = "output 'y': max_abs is 3, limit 0.1";
  const Json report = bench_baselines(request_, device_);
  const Json& cub = report.at("baselines").at(0);
  EXPECT_EQ(cub.at("status"), "failed");
  EXPECT_EQ(cub.at("reason"),
            "workload 'small': its result is wrong: output 'y': max_abs is 3, limit 0.1");
  EXPECT_TRUE(device_.times.empty());
  EXPECT_THAT(baselines_text(report), HasSubstr("scale baseline cub  is none: workload 'small'"));
}

TEST_F(BaselinesTest, TwoOfOneNameAreRefused) {
  request_.libraries = {"/x/cub.so", "/x/ours.so", "/y/cub.so"};
  try {
    bench_baselines(request_, device_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_STREQ(error.what(),
                 "two baselines are called 'cub': /x/cub.so and /y/cub.so; give one library "
                 "another name (OUTPUT_NAME of its target)");
  }
  EXPECT_TRUE(device_.times.empty());
}

TEST_F(BaselinesTest, WithoutAWorkloadThereIsNothingToTime) {
  spec_.workloads.clear();
  const Json report = bench_baselines(request_, device_);
  EXPECT_EQ(report.at("baselines").at(1).at("reason"), "scale has no workload for the cuda device");
}

}  // namespace
}  // namespace kernelloop
