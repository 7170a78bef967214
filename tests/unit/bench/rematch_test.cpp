#include "bench/rematch.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>

#include "bench_fixture.hpp"
#include "scripted_device.hpp"

namespace kernelloop {
namespace {

class RematchTest : public testing::Test {
 protected:
  RematchTest() {
    request_.spec = &spec_;
    request_.incumbent = scale_version(spec_, "v001");
    request_.challenger = scale_version(spec_, "v002");
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
  EXPECT_THAT(report.at("reason"), testing::HasSubstr("v002: killed after 2 minutes"));
}

TEST_F(RematchTest, NeedsAnArtefactOfBoth) {
  request_.incumbent.availability = CompiledVersion::Availability::failed;
  EXPECT_THROW(rematch(request_, device_), Error);
}

}  // namespace
}  // namespace kernelloop
