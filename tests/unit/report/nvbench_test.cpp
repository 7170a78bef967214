// What nvbench's compare scripts read of a file (nvbench_json/reader, nvbench_compare): devices by
// id, benchmarks by name, states by name, axes by name with type and flags, and two summaries.
#include "report/nvbench.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json measured() {
  return {{"op", "softmax"},
          {"status", "measured"},
          {"device",
           {{"kind", "cuda"},
            {"name", "NVIDIA H200"},
            {"architecture", "sm_90"},
            {"multiprocessors", 132},
            {"memory_bytes", 150109880320},
            {"datasheet_bandwidth", 4.8e12},
            {"l2_bytes", 62914560}}},
          {"workloads",
           {{{"name", "small"},
             {"axes", {{"rows", 64}, {"cols", 128}}},
             {"samples", 3},
             {"bytes", 24e6},
             {"hot", {{"samples", 2}, {"launches_per_sample", 10}}}},
            {{"name", "wide"},
             {"axes", {{"rows", 64}, {"cols", 256}}},
             {"samples", 1},
             {"hot", nullptr}}}}};
}

Json samples() {
  return {
      {"workloads",
       {{{"name", "small"},
         {"cold",
          {{"us", {10, 900, 11, 12}},
           {"clock_mhz", {1900, 200, 2000, nullptr}},
           {"throttled", {false, true, false, false}},
           {"foreign", {false, false, false, false}}}},
         {"hot", {{"us", {8, 9}}, {"throttled", {false, false}}}}},
        {{"name", "wide"}, {"cold", {{"us", {20}}, {"throttled", {true}}}}, {"hot", nullptr}}}}};
}

const Json* summary(const Json& state, const std::string& tag) {
  for (const Json& one : state.at("summaries")) {
    if (one.at("tag") == tag) return &one;
  }
  return nullptr;
}

// As nvbench_compare reads it: the datum named "value", whose type must be float64.
double value_of(const Json& state, const std::string& tag) {
  const Json* one = summary(state, tag);
  if (one == nullptr) throw std::runtime_error("no summary " + tag);
  const Json& datum = one->at("data").at(0);
  EXPECT_EQ(datum.at("name"), "value");
  EXPECT_EQ(datum.at("type"), "float64");
  return std::stod(datum.at("value").get<std::string>());
}

TEST(Nvbench, HasWhatTheCompareScriptsRead) {
  const Json root = nvbench_json(measured(), samples());
  EXPECT_EQ(root.at("/meta/version/json/string"_json_pointer), "1.0.0");
  EXPECT_EQ(root.at("/meta/version/json/major"_json_pointer), 1);
  EXPECT_EQ(root.at("devices").at(0).at("id"), 0);
  EXPECT_EQ(root.at("devices").at(0).at("name"), "NVIDIA H200");
  const Json& bench = root.at("benchmarks").at(0);
  EXPECT_EQ(bench.at("name"), "softmax");
  EXPECT_EQ(bench.at("devices"), Json::array({0}));
  ASSERT_EQ(bench.at("states").size(), 2u);
  for (const Json& state : bench.at("states")) {
    EXPECT_EQ(state.at("device"), 0);
    EXPECT_EQ(state.at("is_skipped"), false);
    for (const Json& value : state.at("axis_values")) {
      EXPECT_TRUE(value.at("value").is_string());  // int64 is text
      bool described = false;
      for (const Json& axis : bench.at("axes")) {
        described = described || (axis.at("name") == value.at("name") &&
                                  axis.at("type") == "int64" && axis.contains("flags"));
      }
      EXPECT_TRUE(described) << value;
    }
    EXPECT_GT(value_of(state, "nv/cold/time/gpu/mean"), 0.0);
    EXPECT_NE(summary(state, "nv/cold/time/gpu/stdev/relative"), nullptr);
  }
  EXPECT_EQ(bench.at("states").at(0).at("name"), "Device=0 rows=64 cols=128");
  EXPECT_EQ(bench.at("axes").at(1).at("values").size(), 2u);
}

TEST(Nvbench, FiguresAreThoseOfTheSamplesThatCount) {
  const Json root = nvbench_json(measured(), samples());
  const Json& small = root.at("/benchmarks/0/states/0"_json_pointer);
  EXPECT_DOUBLE_EQ(value_of(small, "nv/cold/time/gpu/mean"), 11e-6);
  EXPECT_NEAR(value_of(small, "nv/cold/time/gpu/stdev/relative"), 1.0 / 11, 1e-12);
  EXPECT_DOUBLE_EQ(value_of(small, "nv/cold/time/gpu/median"), 11e-6);
  EXPECT_DOUBLE_EQ(value_of(small, "nv/cold/time/gpu/max"), 12e-6);
  EXPECT_DOUBLE_EQ(value_of(small, "nv/cold/sm_clock_rate/mean"), 1950e6);
  EXPECT_NEAR(value_of(small, "nv/cold/bw/global/utilization"), 24e6 / 11e-6 / 4.8e12, 1e-12);
  EXPECT_DOUBLE_EQ(value_of(small, "nv/batch/time/gpu/mean"), 8.5e-6);
  EXPECT_EQ(summary(small, "nv/cold/sample_size")->at("data").at(0).at("value"), "3");
  EXPECT_EQ(summary(small, "nv/batch/sample_size")->at("data").at(0).at("value"), "20");

  const Json& wide =
      root.at("/benchmarks/0/states/1"_json_pointer);  // all its samples were throttled
  EXPECT_DOUBLE_EQ(value_of(wide, "nv/cold/time/gpu/mean"), 20e-6);
  EXPECT_TRUE(
      summary(wide, "nv/cold/time/gpu/stdev/relative")->at("data").at(0).at("value").is_null());
  EXPECT_EQ(summary(wide, "nv/batch/time/gpu/mean"), nullptr);
  EXPECT_EQ(summary(wide, "nv/cold/sm_clock_rate/mean"), nullptr);
  EXPECT_EQ(summary(wide, "nv/cold/bw/global/utilization"), nullptr);
}

TEST(Nvbench, TimesOfTheCpuDeviceAreRefused) {
  Json emulated = measured();
  emulated["device"]["kind"] = "cpu";
  try {
    nvbench_json(emulated, samples());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("softmax: it was timed on the CPU device"));
  }
}

TEST(Nvbench, SamplesOfAnotherRunAreRefused) {
  Json other = measured();
  other["workloads"][0]["samples"] = 7;
  try {
    nvbench_json(other, samples());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("4 samples of small, 3 of them undisturbed, but "
                                        "bench.json counts 7"));
  }
  Json shared = samples();
  shared["workloads"][0]["cold"]["foreign"][3] = true;
  other["workloads"][0]["samples"] = 2;
  EXPECT_EQ(nvbench_json(other, shared).at("/benchmarks/0/states/0/name"_json_pointer),
            nvbench_json(measured(), samples()).at("/benchmarks/0/states/0/name"_json_pointer));
  Json fewer = samples();
  fewer["workloads"].erase(1);
  EXPECT_THROW(nvbench_json(measured(), fewer), Error);
}

TEST(Nvbench, AVersionThatWasNotTimedHereIsNamed) {
  const TemporaryDirectory root;
  OpConfig config;
  config.op = "softmax";
  config.build_dir = root.path();
  try {
    nvbench_of(config, 6);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("softmax: v006 has no timing samples in"));
    EXPECT_THAT(error.what(), HasSubstr("build bench_softmax first"));
  }
}

}  // namespace
}  // namespace kernelloop
