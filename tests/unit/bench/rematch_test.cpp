#include "bench/rematch.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>

#include "bench_fixture.hpp"
#include "scripted_device.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

class RematchTest : public testing::Test {
 protected:
  RematchTest() {
    request_.spec = &spec_;
    request_.incumbent = contestant_of(incumbent_, spec_, device_.description);
    request_.challenger = contestant_of(challenger_, spec_, device_.description);
    request_.device = "cuda";
    request_.seed = 1;
    device_.time_result = [this](const TimeRequest& request) {
      TimeResult result;
      std::vector<double> medians{incumbent_us_, incumbent_us_, challenger_us_};
      medians.resize(request.variants.size());
      for (const double time : medians) {
        std::vector<double> times;
        for (int i = 0; i < 60; ++i) times.push_back(time * (1 + 0.0001 * (i % 7)));
        result.samples.push_back(samples_of(times));
      }
      return result;
    };
  }

  OpSpec spec_ = scale_spec();
  CompiledVersion incumbent_ = scale_version(spec_, "v001");
  CompiledVersion challenger_ = scale_version(spec_, "v002");
  RematchRequest request_;
  ScriptedDevice device_;
  double incumbent_us_ = 100.0;
  double challenger_us_ = 90.0;
};

TEST_F(RematchTest, FindsTheFasterVersion) {
  const Json report = rematch(request_, device_);
  EXPECT_EQ(report.at("status"), "compared");
  EXPECT_EQ(report.at("verdict"), "FASTER");
  EXPECT_NEAR(report.at("ratio"), 0.9, 0.001);
  EXPECT_EQ(report.at("incumbent"), "v001");
  EXPECT_EQ(report.at("challenger"), "v002");
  EXPECT_EQ(report.at("workloads").size(), 2u);
}

TEST_F(RematchTest, SaysThatAnothersProcessWasThere) {
  EXPECT_THAT(rematch_line(rematch(request_, device_)), Not(HasSubstr("noisy")));
  auto quiet = device_.time_result;
  device_.time_result = [&](const TimeRequest& request) {
    TimeResult result = quiet(request);
    for (auto& samples : result.samples) {
      for (TimeSample& sample : samples) sample.foreign = true;
    }
    return result;
  };
  const Json report = rematch(request_, device_);
  EXPECT_EQ(report.at("workloads").at(0).at("foreign"), true);
  EXPECT_THAT(rematch_line(report), HasSubstr("noisy: another process computed on the GPU"));
}

TEST_F(RematchTest, TimesTheIncumbentTwiceAndTheChallengerOnce) {
  rematch(request_, device_);
  ASSERT_EQ(device_.loaded.size(), 3u);
  EXPECT_EQ(device_.loaded[0].path, device_.loaded[1].path);
  const auto& variants = device_.times.back().variants;
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[0].module, 0);
  EXPECT_EQ(variants[1].module, 1);
  EXPECT_EQ(variants[2].module, 2);
}

TEST_F(RematchTest, EqualTimesAreTheSame) {
  challenger_us_ = 100.0;
  EXPECT_EQ(rematch(request_, device_).at("verdict"), "SAME");
}

TEST_F(RematchTest, ShortLaunchesAreComparedInBatchesOnRotatingTensors) {
  rematch(request_, device_);
  EXPECT_EQ(device_.times.back().cache, CacheState::cold);
  incumbent_us_ = 8.0;
  challenger_us_ = 7.0;
  const Json report = rematch(request_, device_);
  EXPECT_EQ(device_.times.back().cache, CacheState::rotating);
  EXPECT_EQ(report.at("workloads").at(0).at("cache"), "rotating");
  EXPECT_EQ(report.at("workloads").at(0).at("samples"), 60);
}

TEST_F(RematchTest, AFaultSaysWhichVersionItWas) {
  device_.time_result = [](const TimeRequest&) {
    TimeResult result;
    result.fault = {FaultKind::timeout, "killed after 2 minutes"};
    result.faulty_variant = 2;
    return result;
  };
  const Json report = rematch(request_, device_);
  EXPECT_EQ(report.at("status"), "failed");
  EXPECT_THAT(report.at("reason"), HasSubstr("v002: killed after 2 minutes"));
}

TEST_F(RematchTest, SamplesThatAreNoneAreAReasonNotToCompare) {
  const auto reason = [&](std::vector<std::vector<double>> times) {
    device_.time_result = [times](const TimeRequest&) {
      TimeResult result;
      for (const auto& one : times) result.samples.push_back(samples_of(one));
      return result;
    };
    const Json report = rematch(request_, device_);
    EXPECT_EQ(report.at("status"), "failed");
    return report.at("reason").get<std::string>();
  };
  EXPECT_THAT(reason({}), HasSubstr("did not return the samples of every version"));
  EXPECT_THAT(reason({{9, 9}, {9, 9}, {}}), HasSubstr("the device returned no sample"));
  EXPECT_THAT(reason({{9, 9}, {9, 9}, {9, 0}}), HasSubstr("a sample of no time at all"));
  EXPECT_THAT(reason({{9}, {9}, {9}}), HasSubstr("no whole blocks of samples"));
  EXPECT_THAT(reason({{9, 9, 9, 9}, {9, 9, 9, 9}, {9, 9}}), HasSubstr("no whole blocks"));
}

TEST_F(RematchTest, ABaselineCanStandInForTheIncumbent) {
  request_.incumbent = baseline_contestant("cub", "/x/cub.so", spec_);
  const Json report = rematch(request_, device_);
  EXPECT_EQ(report.at("incumbent"), "baseline cub");
  EXPECT_EQ(report.at("verdict"), "FASTER");
  EXPECT_TRUE(device_.loaded[0].host_code);
  EXPECT_FALSE(device_.loaded[2].host_code);
  const HostCall& call = *device_.times.back().variants[0].plan.host;
  EXPECT_EQ(call.op, "scale");
  EXPECT_EQ(call.shapes.at("y"), std::vector<std::int64_t>{200000});
  EXPECT_EQ(call.scalars.size(), 1u);
}

TEST(Contestant, NeedsAnArtefact) {
  const OpSpec spec = scale_spec();
  CompiledVersion version = scale_version(spec, "v001");
  version.availability = CompiledVersion::Availability::failed;
  version.artifact_reason = "inline PTX";
  DeviceDescription device;
  device.kind = "cuda";
  try {
    contestant_of(version, spec, device);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_STREQ(error.what(), "scale v001 has nothing to run on the cuda device: inline PTX");
  }
}

}  // namespace
}  // namespace kernelloop
