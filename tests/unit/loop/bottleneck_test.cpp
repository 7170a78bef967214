#include "loop/bottleneck.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Two workloads bound by memory, the second far from its roof.
Json measured() {
  const auto workload = [](const char* name, double sol) {
    return Json{{"name", name},
                {"weight", 1.0},
                {"median_us", 62.4 / sol},
                {"spread", 0.004},
                {"sol_us", 62.4},
                {"bytes", 2.684e8},
                {"sol", sol},
                {"bound", "memory"},
                {"flops", {{"fp32", 6.7e7}}},
                {"bytes_per_second", 4.3e12 * sol}};
  };
  return {{"status", "measured"},
          {"workloads", {workload("flat", 0.97), workload("wide", 0.75)}},
          {"ceilings", {{"roofs", {{"copy", 4.3e12}, {"fp32", 6e13}, {"launch", 2.5e-6}}}}}};
}

Json kernels(int spilled) {
  return {{"kernels",
           {{{"name", "wide_rows"},
             {"registers", 255},
             {"spill_store_bytes", spilled},
             {"spill_load_bytes", spilled}}}}};
}

Json profiled(const char* bound, double moved) {
  return {{"status", "profiled"},
          {"bound", bound},
          {"workload", {{"name", "flat"}}},
          {"minimum_bytes", 2.684e8},
          {"metrics", {{"dram__bytes_read.sum", moved / 2}, {"dram__bytes_write.sum", moved / 2}}},
          {"digest", {"Bound by something.", "Occupancy: 50 %."}}};
}

class BottleneckTest : public testing::Test {
 protected:
  BottleneckTest() { evidence_.measured = measured(); }
  [[nodiscard]] Bottleneck found() const { return bottleneck_of(evidence_).value(); }
  VersionEvidence evidence_{1, {}, {}, {}, {}, {}, {}};
};

TEST_F(BottleneckTest, NothingIsSaidOfAVersionThatWasNotTimed) {
  evidence_.measured["status"] = "skipped";
  EXPECT_FALSE(bottleneck_of(evidence_));
}

TEST_F(BottleneckTest, IsThatOfTheWorkloadThatLosesTheMost) {
  EXPECT_EQ(found().kind, "latency");
  EXPECT_EQ(found().what, "latency: `wide` keeps device memory busy to 75 % only");
  EXPECT_THAT(
      found().evidence,
      ElementsAre("workload `wide`: 83 µs, spread under 1 %; its speed of light is 62 µs (75 %)",
                  "it must move 270 MB: 3250 GB/s of the 4300 GB/s that a copy was "
                  "measured to reach",
                  "other workloads, of their speed of light: `flat` 97 %"));
  evidence_.measured["workloads"][0]["weight"] = 50.0;
  EXPECT_EQ(found().kind, "memory");
  EXPECT_THAT(found().what, HasSubstr("`flat` runs at 97 % of its roof"));
}

TEST_F(BottleneckTest, OfWorkloadsThatLoseTheSameTheFirstIsTaken) {
  evidence_.measured["workloads"][0]["sol"] = 0.751;
  EXPECT_THAT(found().what, HasSubstr("`flat`"));
  evidence_.measured["workloads"][0]["sol"] = 0.749;
  EXPECT_THAT(found().what, HasSubstr("`flat`"));
}

TEST_F(BottleneckTest, SpillsGoBeforeLatency) {
  evidence_.compiled = kernels(48);
  EXPECT_EQ(found().kind, "spills");
  EXPECT_THAT(found().evidence,
              Contains("spills: `wide_rows` (255 registers) stores 48 B and loads 48 B"));
  evidence_.compiled = kernels(0);
  EXPECT_EQ(found().kind, "latency");
}

TEST_F(BottleneckTest, AnEmptyLaunchBoundsWhatIsTiny) {
  evidence_.measured["workloads"][1]["median_us"] = 6.0;
  evidence_.measured["workloads"][1]["sol_us"] = 1.5;
  evidence_.measured["workloads"][1]["sol"] = 0.25;
  EXPECT_EQ(found().kind, "launch");
  EXPECT_THAT(found().what, HasSubstr("an empty launch takes 2.5 µs, `wide` takes 6 µs"));
}

TEST_F(BottleneckTest, ArithmeticNamesItsClassAndItsRoof) {
  evidence_.measured["workloads"][1]["bound"] = "fp32";
  EXPECT_EQ(found().kind, "compute");
  EXPECT_THAT(found().what, HasSubstr("fp32 arithmetic: `wide` runs at 75 %"));
  EXPECT_THAT(found().evidence, Contains(HasSubstr("67 million fp32 operations")));
  EXPECT_THAT(found().evidence, Contains(testing::EndsWith("of 60 T/s")));
}

TEST_F(BottleneckTest, TheBenchStepsOwnCountersShowTrafficLaunchesAndClock) {
  Json& wide = evidence_.measured["workloads"][1];
  wide["clock_mhz"] = 1951.0;
  wide["bus"] = {{"read_bytes", 2.7e8}, {"written_bytes", 1.35e8}};
  wide["referee"] = {
      {"kernels", {{{"name", "first"}, {"us", 61.2}}, {{"name", "second"}, {"us", 20.1}}}}};
  EXPECT_EQ(found().kind, "traffic");
  EXPECT_EQ(found().what, "device memory: `wide` moves 1.5 times the bytes that it must");
  EXPECT_THAT(found().evidence, Contains(HasSubstr("83 µs at 1950 MHz, spread")));
  EXPECT_THAT(found().evidence,
              Contains("counted on the memory bus: 405 MB, 1.5 times the bytes that it must move"));
  EXPECT_THAT(found().evidence, Contains("its launches: `first` 61 µs, `second` 20 µs"));
  wide["bus"] = {{"read_bytes", 1.4e8}, {"written_bytes", 1.35e8}};
  EXPECT_EQ(found().kind, "latency");
}

TEST_F(BottleneckTest, CountersGoBeforeTimes) {
  evidence_.profiled = profiled("memory", 2.7e8);
  EXPECT_EQ(found().kind, "memory");
  EXPECT_THAT(found().what, HasSubstr("`flat`"));  // what was counted
  EXPECT_THAT(found().evidence, Contains("Occupancy: 50 %."));
  evidence_.profiled = profiled("memory", 5.4e8);
  EXPECT_EQ(found().kind, "traffic");
  EXPECT_THAT(found().what, HasSubstr("2 times the bytes"));
  for (const char* bound : {"tensor", "pipe", "issue"}) {
    evidence_.profiled = profiled(bound, 2.7e8);
    EXPECT_EQ(found().kind, "compute") << bound;
  }
  evidence_.profiled = profiled("latency", 2.7e8);
  EXPECT_EQ(found().kind, "latency");
  evidence_.compiled = kernels(8);
  EXPECT_EQ(found().kind, "spills");
  evidence_.profiled = profiled("memory", 2.7e8);
  EXPECT_EQ(found().kind, "memory");
  evidence_.profiled["status"] = "unavailable";
  EXPECT_EQ(found().kind, "spills");
}

// Invariant 7: nothing that the emulation says is taken for a fact about a GPU.
TEST_F(BottleneckTest, TheCpuDeviceKnowsNone) {
  for (Json& one : evidence_.measured["workloads"]) {
    one["sol"] = nullptr;
    one["bound"] = nullptr;
  }
  evidence_.compiled = kernels(16);
  EXPECT_EQ(found().kind, "unknown");
  EXPECT_THAT(found().evidence, ElementsAre(StartsWith("spills: ")));
  EXPECT_THAT(found().what, Not(HasSubstr("µs")));
}

// A committed report of the first rules of measurement has no `bound` and one roof.
TEST_F(BottleneckTest, ReadsOldEvidence) {
  for (Json& one : evidence_.measured["workloads"]) one.erase("bound");
  evidence_.measured["ceilings"] = {{"copy_bytes_per_second", 4.3e12}};
  EXPECT_EQ(found().kind, "latency");
  EXPECT_THAT(found().evidence, Contains(HasSubstr("of the 4300 GB/s")));
}

TEST_F(BottleneckTest, TheHistoryKeepsIt) {
  evidence_.compiled = {{"status", "compiled"}};
  evidence_.verified = {{"status", "passed"}};
  History history;
  history.versions = {record_of(evidence_, 1),
                      record_of(VersionEvidence{2, {}, {}, {}, {}, {}, {}}, 2)};
  const Json json = to_json(history);
  EXPECT_EQ(json["versions"][0]["bottleneck"]["kind"], "latency");
  EXPECT_EQ(json["versions"][1]["bottleneck"], nullptr);
  const History read = history_from_json({"history.json", json.dump(), json, 1});
  EXPECT_EQ(to_json(read), json);
}

}  // namespace
}  // namespace kernelloop
