#include "bench/ceilings.hpp"

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
  EXPECT_EQ(ceilings_of(device, directory.path()).copy_bytes_per_second, 4e11);
  device.copy_bandwidth = 1e11;
  EXPECT_EQ(ceilings_of(device, directory.path()).copy_bytes_per_second, 4e11);
  EXPECT_EQ(device.copies, std::vector<std::int64_t>{k_roof_buffer_bytes});
  device.description.driver = "2.0";
  EXPECT_EQ(ceilings_of(device, directory.path()).copy_bytes_per_second, 1e11);
  device.description.uuid = "GPU-2";
  device.copy_bandwidth = 2e11;
  EXPECT_EQ(ceilings_of(device, directory.path()).copy_bytes_per_second, 2e11);
}

TEST(Ceilings, ABrokenCacheIsMeasuredAgain) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  ceilings_of(device, directory.path());
  const std::filesystem::path file = only_file(directory.path());
  for (const char* broken : {"", "{", "[]", "{\"schema_version\": 1}"}) {
    write_file_atomic(file, broken);
    device.copies.clear();
    EXPECT_EQ(ceilings_of(device, directory.path()).copy_bytes_per_second, 4e11) << broken;
    EXPECT_EQ(device.copies.size(), 1u) << broken;
  }
  std::string text = read_file(file);
  text.replace(text.find("400000000000"), 12, "-40000000000");
  write_file_atomic(file, text);
  EXPECT_EQ(ceilings_of(device, directory.path()).copy_bytes_per_second, 4e11);
}

TEST(Ceilings, ACacheThatCannotBeWrittenIsNoError) {
  TemporaryDirectory directory;
  write_file_atomic(directory.path() / "file", "");
  ScriptedDevice device;
  EXPECT_EQ(ceilings_of(device, directory.path() / "file" / "cache").copy_bytes_per_second, 4e11);
}

TEST(Ceilings, SmallDevicesCopyLess) {
  TemporaryDirectory directory;
  ScriptedDevice device;
  device.description.memory_bytes = std::int64_t{1} << 30;
  EXPECT_EQ(ceilings_of(device, directory.path()).copy_buffer_bytes, std::int64_t{1} << 27);
}

TEST(SpeedOfLight, IsTheSlowestOfWhatIsKnown) {
  CostNumbers cost;
  cost.bytes = 4e6;
  cost.flops = {{"fp32", 1e9}, {"sfu", 1e12}};
  Ceilings ceilings;
  EXPECT_FALSE(speed_of_light_us(cost, ceilings).has_value());
  ceilings.copy_bytes_per_second = 4e12;
  EXPECT_DOUBLE_EQ(*speed_of_light_us(cost, ceilings), 1.0);
  ceilings.operations_per_second["fp32"] = 1e14;
  EXPECT_DOUBLE_EQ(*speed_of_light_us(cost, ceilings), 10.0);
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
