#include "bench/bench.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>

#include "bench_fixture.hpp"
#include "scripted_device.hpp"

#include <cmath>

namespace kernelloop {
namespace {

using testing::HasSubstr;

class BenchTest : public testing::Test {
 protected:
  BenchTest() {
    request_.spec = &spec_;
    request_.compiled = scale_version(spec_);
    request_.verified = passed();
    request_.device = "cuda";
    request_.cache_dir = directory_.path() / "cache";
  }

  BenchReport run() { return bench(request_, device_); }

  TemporaryDirectory directory_;
  OpSpec spec_ = scale_spec();
  BenchRequest request_;
  ScriptedDevice device_;
};

TEST_F(BenchTest, ReportsEveryWorkloadWithItsStatistics) {
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "measured");
  EXPECT_EQ(report.at("mode"), "cold");
  EXPECT_EQ(report.at("clocks"), "as found");
  EXPECT_EQ(report.at("ceilings").at("copy_bytes_per_second"), 4e11);
  ASSERT_EQ(report.at("workloads").size(), 2u);
  const Json& small = report.at("workloads").at(0);
  EXPECT_EQ(small.at("name"), "small");
  EXPECT_EQ(small.at("samples"), 5);
  EXPECT_EQ(small.at("median_us"), 12);
  EXPECT_EQ(small.at("min_us"), 10);
  EXPECT_EQ(small.at("p25_us"), 11);
  EXPECT_EQ(small.at("p75_us"), 13);
  EXPECT_DOUBLE_EQ(small.at("spread"), 2.0 / 12.0);
  EXPECT_EQ(small.at("clock_mhz"), 1980);
  EXPECT_EQ(small.at("bytes"), 8e5);
  EXPECT_EQ(small.at("flops").at("fp32"), 1e5);
  EXPECT_DOUBLE_EQ(small.at("sol_us"), 2.0);
  EXPECT_DOUBLE_EQ(small.at("sol"), 2.0 / 12.0);
}

TEST_F(BenchTest, SumsUpByWeightedGeometricMean) {
  const Json summary = run().bench.at("summary");
  EXPECT_NEAR(summary.at("time_us"), 12, 1e-9);
  EXPECT_NEAR(summary.at("sol"), std::pow(2.0 / 12 * std::pow(4.0 / 12, 3), 0.25), 1e-9);
}

TEST_F(BenchTest, KeepsRawSamples) {
  const Json samples = run().samples;
  EXPECT_EQ(samples.at("workloads").at(1).at("samples_us").size(), 5u);
}

TEST_F(BenchTest, SkipsWhatIsNotVerifiedWithoutTouchingTheDevice) {
  request_.verified = {{"status", "failed"}, {"reason", "smoke: wrong"}};
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "skipped");
  EXPECT_EQ(report.at("reason"), "smoke: wrong");
  EXPECT_TRUE(device_.loaded.empty());
  EXPECT_TRUE(device_.copies.empty());
}

TEST_F(BenchTest, SkipsAVersionWithoutArtefactForTheDevice) {
  request_.compiled.availability = CompiledVersion::Availability::not_runnable;
  request_.compiled.artifact_reason = "inline PTX";
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "skipped");
  EXPECT_EQ(report.at("reason"), "no artefact for the cuda device: inline PTX");
}

TEST_F(BenchTest, RefusesAVerdictAboutAnotherSource) {
  request_.verified["source_sha256"] = "other";
  try {
    run();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("another source"));
  }
}

TEST_F(BenchTest, FailsAVersionThatFaultsWhileItIsTimed) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.fault = {FaultKind::illegal_access, "out of bounds in scale"};
    return result;
  };
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason"), HasSubstr("workload 'small'"));
  EXPECT_THAT(report.at("reason"), HasSubstr("out of bounds in scale"));
}

TEST_F(BenchTest, FailsATimedLaunchThatLeavesAnotherResult) {
  device_.time_value = std::byte{2};
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason"), HasSubstr("first at y[0"));
}

TEST_F(BenchTest, LetsTheReferenceDecideWhereBitsDiffer) {
  device_.time_value = std::byte{2};
  request_.judge = [](const WorkloadCase&) { return std::nullopt; };
  EXPECT_EQ(run().bench.at("status"), "measured");
  request_.judge = [](const WorkloadCase&) { return std::optional<std::string>("too far off"); };
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason"), HasSubstr("too far off"));
}

TEST_F(BenchTest, FailsATimeThatTheDatasheetDoesNotAllow) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.samples_us = {{1.0, 1.0, 1.0}};
    return result;
  };
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason"), HasSubstr("impossible"));
}

TEST_F(BenchTest, FailsAKernelThatChangesItsInput) {
  device_.run_result.changed_inputs = {"x"};
  EXPECT_THAT(run().bench.at("reason"), HasSubstr("changed the input 'x'"));
}

TEST_F(BenchTest, PoisonsWithAnotherPatternThanVerification) {
  run();
  EXPECT_THAT(device_.poisons, testing::Each(testing::Property(&Poison::is_noise, true)));
}

TEST_F(BenchTest, CallsCpuTimesWallTimesOfAnEmulation) {
  device_.description.kind = "cpu";
  device_.description.name = "Some Processor";
  request_.device = "cpu";
  const Json report = run().bench;
  EXPECT_EQ(report.at("mode"), "wall");
  EXPECT_TRUE(report.at("summary").at("sol").is_null());
  EXPECT_TRUE(report.at("workloads").at(0).at("sol").is_null());
  EXPECT_TRUE(report.at("ceilings").empty());
  EXPECT_TRUE(device_.copies.empty());
  EXPECT_FALSE(device_.times.front().flush_l2);
  EXPECT_EQ(summary_line(report), "scale v002  12.0 µs wall on the CPU device (emulation)");
}

TEST_F(BenchTest, SaysOneLine) {
  EXPECT_EQ(summary_line(run().bench), "scale v002  12.0 µs  28 % of the copy roof  Test GPU");
  request_.verified = {{"status", "failed"}, {"reason", "smoke: wrong"}};
  EXPECT_EQ(summary_line(run().bench), "scale v002  not timed (skipped): smoke: wrong");
}

TEST(TimeText, ChoosesUnitAndDigits) {
  EXPECT_EQ(time_text(0.0321), "32.1 ns");
  EXPECT_EQ(time_text(5.432), "5.43 µs");
  EXPECT_EQ(time_text(41.23), "41.2 µs");
  EXPECT_EQ(time_text(412.3), "412 µs");
  EXPECT_EQ(time_text(999.7), "1.00 ms");
  EXPECT_EQ(time_text(2.5e6), "2.50 s");
}

}  // namespace
}  // namespace kernelloop
