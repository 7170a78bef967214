#include "bench/bench.hpp"

#include "bench/measured_workload.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>

#include "bench_fixture.hpp"
#include "scripted_device.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

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
  EXPECT_EQ(report.at("ceilings").at("roofs").at("copy"), 4e11);
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

// What a GPU shows that runs the plan's kernels for `us` between events 2.5 us further apart.
ActivityResult seen(const RunRequest& request, double us) {
  ActivityResult activity;
  activity.event_us = {us + 2.5};
  for (const ResolvedLaunch& launch : request.plan.launches) {
    Activity& kernel = activity.records.emplace_back();
    kernel.name = launch.kernel;
    kernel.iteration = 0;
    kernel.end_us = us;
    kernel.grid = launch.grid;
    kernel.block = launch.block;
  }
  return activity;
}

TEST_F(BenchTest, ShowsWhatTheRefereeSaw) {
  device_.watched = [](const RunRequest& request) { return seen(request, 10.0); };
  const Json referee = run().bench.at("workloads").at(0).at("referee");
  EXPECT_EQ(referee.at("status"), "agreed") << referee;
  EXPECT_EQ(referee.at("event_us"), 12.5);
  EXPECT_EQ(referee.at("kernels_us"), 10.0);
  EXPECT_EQ(referee.at("kernels").at(0).at("name"), "scale");
}

TEST_F(BenchTest, SaysWhenThereIsNoReferee) {
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "measured");
  const Json& referee = report.at("workloads").at(0).at("referee");
  EXPECT_EQ(referee.at("status"), "unavailable");
  EXPECT_EQ(referee.at("reason"), "no CUPTI on this GPU");
  EXPECT_TRUE(referee.at("kernels_us").is_null());
}

TEST_F(BenchTest, FailsWhenTheRefereeDisagrees) {
  device_.watched = [](const RunRequest& request) {
    ActivityResult activity = seen(request, 10.0);
    activity.records[0].grid = {1, 1, 1};
    return activity;
  };
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason").get<std::string>(),
              HasSubstr("workload 'small': the referee disagrees: kernel scale ran with grid"));
}

TEST_F(BenchTest, FailsWhenTheKernelsTakeLongerThanTheTimes) {
  device_.watched = [](const RunRequest& request) { return seen(request, 100.0); };
  EXPECT_THAT(run().bench.at("reason").get<std::string>(),
              HasSubstr("the referee disagrees: timed launches took 12.00 us"));
}

TEST_F(BenchTest, CountsTheBytesOfTheHeaviestWorkload) {
  device_.counters.values = {{"dram__bytes_read.sum", 8e5}, {"dram__bytes_write.sum", 7.9e5}};
  device_.description.l2_bytes = 1;
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "measured") << report.at("reason");
  EXPECT_EQ(device_.counted, 1);
  EXPECT_TRUE(report.at("workloads").at(0).at("bus").is_null());
  const Json& bus = report.at("workloads").at(1).at("bus");
  EXPECT_EQ(bus.at("read_bytes"), 8e5);
  EXPECT_EQ(bus.at("written_bytes"), 7.9e5);
  EXPECT_EQ(bus.at("reason"), "");
}

TEST_F(BenchTest, SaysWhyNoBytesWereCounted) {
  device_.counters.reason = "counters are for administrators here";
  const Json bus = run().bench.at("workloads").at(1).at("bus");
  EXPECT_TRUE(bus.at("read_bytes").is_null());
  EXPECT_EQ(bus.at("reason"), "counters are for administrators here");
}

TEST_F(BenchTest, FailsWhenTheBytesWereNotMoved) {
  device_.counters.values = {{"dram__bytes_read.sum", 2e5}, {"dram__bytes_write.sum", 7.9e5}};
  device_.description.l2_bytes = 1;
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason").get<std::string>(),
              HasSubstr("workload 'large': counters show that the work was not done"));
}

TEST_F(BenchTest, SumsUpByWeightedGeometricMean) {
  const Json summary = run().bench.at("summary");
  EXPECT_NEAR(summary.at("time_us"), 12, 1e-9);
  EXPECT_NEAR(summary.at("sol"), std::pow(2.0 / 12 * std::pow(4.0 / 12, 3), 0.25), 1e-9);
}

TEST_F(BenchTest, TimesHotLaunchesTooAndShortOnesOnRotatingTensors) {
  const Json report = run().bench;
  const Json& small = report.at("workloads").at(0);
  EXPECT_EQ(small.at("hot").at("median_us"), 12);
  EXPECT_EQ(small.at("rotating").at("launches_per_sample"), 1);
  device_.time_result = [](const TimeRequest& request) {
    TimeResult result;
    result.samples = {samples_of({25, 26, 27})};
    if (request.cache == CacheState::rotating) result.samples.clear();
    return result;
  };
  EXPECT_TRUE(run().bench.at("workloads").at(0).at("rotating").is_null());
}

TEST_F(BenchTest, SetsThrottledSamplesAside) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.samples = {samples_of(std::vector<double>(12, 30.0))};
    for (int i = 0; i < 5; ++i) result.samples[0].push_back({90.0, 1200, 0, true});
    result.throttling = {"power cap"};
    result.power_watts = 699.6;
    return result;
  };
  const Json small = run().bench.at("workloads").at(0);
  EXPECT_EQ(small.at("median_us"), 30);
  EXPECT_EQ(small.at("samples"), 12);
  EXPECT_EQ(small.at("set_aside"), 5);
  EXPECT_EQ(small.at("throttling").at(0), "power cap");
  EXPECT_EQ(small.at("power_watts"), 700);
}

TEST_F(BenchTest, SetsSamplesBesideAnothersProcessAside) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.samples = {samples_of(std::vector<double>(12, 30.0))};
    for (int i = 0; i < 5; ++i) result.samples[0].push_back({90.0, 1200, 0, false, true});
    return result;
  };
  const BenchReport report = run();
  const Json small = report.bench.at("workloads").at(0);
  EXPECT_EQ(small.at("median_us"), 30);
  EXPECT_EQ(small.at("set_aside"), 5);
  EXPECT_EQ(small.at("foreign"), 5);
  EXPECT_TRUE(small.at("throttling").empty());
  EXPECT_TRUE(report.bench.at("summary").at("noise").is_null());
  const Json& flags = report.samples.at("workloads").at(0).at("cold").at("foreign");
  EXPECT_EQ(std::count(flags.begin(), flags.end(), Json(true)), 5);
}

TEST_F(BenchTest, SaysThatNoSampleHadTheGpuForItself) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.samples = {std::vector<TimeSample>(12, {30.0, 1200, 0, false, true})};
    return result;
  };
  const Json bench = run().bench;
  EXPECT_EQ(bench.at("workloads").at(0).at("set_aside"), 0);
  EXPECT_EQ(bench.at("workloads").at(0).at("foreign"), 12);
  const std::string noise = bench.at("summary").at("noise");
  EXPECT_THAT(noise, HasSubstr("another process computed on the GPU while workload 'small' was"));
  EXPECT_THAT(summary_line(bench), HasSubstr("noisy: " + noise));
}

TEST(CountedTimes, OfForeignAndThrottledOnesTheThrottled) {
  std::vector<TimeSample> samples(20, {10, 0, 0, true, false});
  samples.resize(30, {50, 0, 0, false, true});
  EXPECT_THAT(counted_times(samples), SizeIs(20));
  EXPECT_FALSE(counts_foreign(samples));
  EXPECT_TRUE(counts_foreign({samples.begin() + 15, samples.end()}));
}

TEST(CountedTimes, AreAllOfThemWhereHardlyAnyWasCalm) {
  std::vector<TimeSample> samples(20, {10, 0, 0, true});
  samples[3].throttled = false;
  EXPECT_EQ(counted_times(samples).size(), 20u);
}

TEST_F(BenchTest, EverySetIsRunAndComparedByItself) {
  run();
  EXPECT_EQ(device_.times.front().sets.size(), 4u);
  EXPECT_EQ(device_.poisons.size(), 8u);  // two workloads
  EXPECT_FALSE(std::ranges::equal(device_.first_inputs[0], device_.first_inputs[1]));
}

TEST_F(BenchTest, FailsTimedLaunchesThatDisagreeWithTheLast) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.samples = {samples_of({20, 20, 20})};
    result.rechecks = {7, 2};
    return result;
  };
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason"), HasSubstr("of 7 timed launches"));
  spec_.precision.deterministic = false;
  EXPECT_EQ(run().bench.at("status"), "measured");
}

TEST_F(BenchTest, KeepsRawSamples) {
  const Json samples = run().samples;
  EXPECT_EQ(samples.at("workloads").at(1).at("cold").at("us").size(), 5u);
  EXPECT_EQ(samples.at("workloads").at(1).at("hot").at("throttled").size(), 5u);
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
  request_.judge = [](const WorkloadCase&, std::size_t) { return std::nullopt; };
  EXPECT_EQ(run().bench.at("status"), "measured");
  request_.judge = [](const WorkloadCase&, std::size_t) {
    return std::optional<std::string>("too far off");
  };
  const Json report = run().bench;
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason"), HasSubstr("too far off"));
}

TEST_F(BenchTest, FailsATimeThatTheDatasheetDoesNotAllow) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.samples = {samples_of({1.0, 1.0, 1.0})};
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
  EXPECT_EQ(device_.times.size(), 2u);  // no cache to be hot or cold: once per workload
  EXPECT_EQ(summary_line(report), "scale v002  12.0 µs wall on the CPU device (emulation)");
}

TEST_F(BenchTest, TimesOfABusyMachineAreCalledNoisy) {
  const auto timed = [&](const std::vector<double>& times) {
    device_.time_result = [times](const TimeRequest& request) {
      TimeResult result;
      result.samples.assign(request.variants.size(), samples_of(times));
      return result;
    };
    return run().bench;
  };
  const Json quiet = timed({10.0, 11.0, 12.0, 13.0, 14.0});
  EXPECT_TRUE(quiet.at("summary").at("noise").is_null());
  EXPECT_THAT(summary_line(quiet), testing::Not(HasSubstr("noisy")));
  const Json busy = timed({10.0, 10.0, 12.0, 16.0, 40.0});
  EXPECT_THAT(
      busy.at("summary").at("noise").get<std::string>(),
      HasSubstr("half of the samples of workload 'small' spread over 50 % of their median"));
  EXPECT_THAT(summary_line(busy), HasSubstr("Test GPU\n  noisy: half of the samples"));
}

TEST_F(BenchTest, SaysOneLine) {
  EXPECT_EQ(summary_line(run().bench), "scale v002  12.0 µs  28 % of the roof  Test GPU");
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
