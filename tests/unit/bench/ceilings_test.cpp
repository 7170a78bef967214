#include "bench/ceilings.hpp"

#include "bench/bench_json.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>

#include "bench_fixture.hpp"
#include "scripted_device.hpp"

namespace kernelloop {
namespace {

std::filesystem::path only_file(const std::filesystem::path& directory) {
  return std::filesystem::directory_iterator(directory)->path();
}

TEST(Ceilings, AreMeasuredOncePerDeviceAndDriver) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 4e11);
  device.copy_bandwidth = 1e11;
  EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 4e11);
  EXPECT_EQ(device.copies, std::vector<std::int64_t>{k_roof_buffer_bytes});
  device.description.driver = "2.0";
  EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 1e11);
  device.description.uuid = "GPU-2";
  device.copy_bandwidth = 2e11;
  EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 2e11);
}

TEST(Ceilings, ABrokenCacheIsMeasuredAgain) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  ceilings_of(device, directory.path());
  const std::filesystem::path file = only_file(directory.path());
  for (const char* broken : {"", "{", "[]", "{\"schema_version\": 1}"}) {
    write_file_atomic(file, broken);
    device.copies.clear();
    EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 4e11) << broken;
    EXPECT_EQ(device.copies.size(), 1u) << broken;
  }
  const Json kept = read_json(file).value;
  const auto broken = [&](const char* pointer, Json value) {
    Json json = kept;
    json[Json::json_pointer(pointer)] = std::move(value);
    write_file_atomic(file, to_text(json));
    device.copies.clear();
    EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 4e11) << pointer;
    return device.copies.size() == 1;
  };
  EXPECT_FALSE(broken("/roofs/copy/clock_mhz", 1000)) << "this is a cache like any other";
  EXPECT_TRUE(broken("/roofs/copy/value", -4e11));
  EXPECT_TRUE(broken("/roofs/copy/value", 0));
  EXPECT_TRUE(broken("/roofs/read/value", -1));
  EXPECT_TRUE(broken("/roofs/copy/value", 1.2 * device.description.datasheet_bandwidth));
  EXPECT_TRUE(broken("/roofs/copy", nullptr));
  EXPECT_TRUE(broken("/implausible/warp drive", 1e20));
  EXPECT_TRUE(broken("/buffer_bytes", 0));
  EXPECT_TRUE(broken("/uuid", "GPU-2"));
  EXPECT_TRUE(broken("/driver", "9.0"));
  EXPECT_TRUE(broken("/schema_version", 99));
}

TEST(Ceilings, ACacheThatCannotBeWrittenIsNoError) {
  TemporaryDirectory directory;
  write_file_atomic(directory.path() / "file", "");
  ScriptedDevice device;
  EXPECT_EQ(ceilings_of(device, directory.path() / "file" / "cache")["copy"], 4e11);
}

TEST(Ceilings, SmallDevicesCopyLess) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  device.description.memory_bytes = std::int64_t{1} << 30;
  EXPECT_EQ(ceilings_of(device, directory.path()).buffer_bytes, std::int64_t{1} << 27);
}

TEST(Ceilings, OtherClocksAreMeasuredAgain) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  ceilings_of(device, directory.path());
  device.description.highest_clock_hz = 1.2e9;
  ceilings_of(device, directory.path());
  EXPECT_EQ(device.copies.size(), 2u);
}

TEST(Ceilings, AreMeasuredAgainOnRequest) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  ceilings_of(device, directory.path());
  device.copy_bandwidth = 3e11;
  measure_ceilings(device, directory.path());
  EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 3e11);
}

TEST(Ceilings, ARoofAboveTheDatasheetIsLeftOut) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  device.copy_bandwidth = 1.2 * device.description.datasheet_bandwidth;
  const Ceilings measured = measure_ceilings(device, directory.path());
  EXPECT_EQ(measured["copy"], 0);
  EXPECT_EQ(measured.implausible.at("copy"), device.copy_bandwidth);
  device.copy_bandwidth = 1.05 * device.description.datasheet_bandwidth;
  EXPECT_EQ(measure_ceilings(device, directory.path())["copy"], device.copy_bandwidth);
}

TEST(Ceilings, WhatWasMeasuredInCompanyIsNamedAndNotKept) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  device.company = "copy";
  device.copy_bandwidth = 1e11;
  const Ceilings measured = ceilings_of(device, directory.path());
  EXPECT_EQ(measured["copy"], 1e11);
  EXPECT_THAT(measured.foreign(), testing::ElementsAre("copy"));
  EXPECT_THAT(setting_json(device.description, measured)["ceilings"]["foreign"],
              testing::ElementsAre("copy"));
  device.company.clear();
  device.copy_bandwidth = 4e11;
  EXPECT_EQ(ceilings_of(device, directory.path())["copy"], 4e11);
  EXPECT_EQ(device.copies.size(), 2u);
  EXPECT_THAT(ceilings_of(device, directory.path()).foreign(), testing::IsEmpty());
}

TEST(SpeedOfLight, IsTheSlowestOfWhatIsKnown) {
  CostNumbers cost;
  cost.bytes = 4e6;
  cost.flops = {{"fp32", 1e9}, {"sfu", 1e12}};
  Ceilings ceilings;
  EXPECT_FALSE(speed_of_light(cost, 0.5, ceilings).has_value());
  ceilings.roofs["copy"] = {4e12, 0};
  EXPECT_DOUBLE_EQ(speed_of_light(cost, 0.5, ceilings)->us, 1.0);
  EXPECT_EQ(speed_of_light(cost, 0.5, ceilings)->bound, "memory");
  ceilings.roofs["fp32"] = {1e14, 0};
  EXPECT_DOUBLE_EQ(speed_of_light(cost, 0.5, ceilings)->us, 10.0);
  EXPECT_EQ(speed_of_light(cost, 0.5, ceilings)->bound, "fp32");
}

TEST(MemoryRoof, FollowsTheShareOfBytesThatAreRead) {
  Ceilings ceilings;
  EXPECT_EQ(memory_roof(ceilings, 0.5), 0);
  ceilings.roofs = {{"write", {4e12, 0}}, {"copy", {2e12, 0}}, {"read", {8e12, 0}}};
  EXPECT_DOUBLE_EQ(memory_roof(ceilings, 0), 4e12);
  EXPECT_DOUBLE_EQ(memory_roof(ceilings, 0.5), 2e12);
  EXPECT_DOUBLE_EQ(memory_roof(ceilings, 1), 8e12);
  // Half of the bytes beyond a copy are read at one roof, half at the other.
  EXPECT_DOUBLE_EQ(memory_roof(ceilings, 0.75), 1 / (0.5 / 2e12 + 0.5 / 8e12));
  ceilings.roofs["triad"] = {3e12, 0};
  EXPECT_DOUBLE_EQ(memory_roof(ceilings, 2.0 / 3.0), 3e12);
}

TEST(ReadShare, IsThatOfTheTensors) {
  // x is read, y of the same size written.
  EXPECT_DOUBLE_EQ(read_share_of(scale_spec(), {{"n", 1000}}), 0.5);
}

TEST(Cost, NamesTheExpressionThatFails) {
  OpSpec spec = scale_spec();
  spec.cost.bytes = Expression::parse("n - 10");
  try {
    cost_of(spec, {{"n", 3}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("bytes `n - 10` is negative (-7)"));
  }
}

}  // namespace
}  // namespace kernelloop
