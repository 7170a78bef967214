#include "device/nvml.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(GpuMonitor, SaysWhyWhatHeldTheGpuBack) {
  const GpuMonitor monitor("GPU-1", NVML_FIXTURE);
  ASSERT_TRUE(monitor.works()) << monitor.why();
  const ThrottleCounters before = monitor.throttling();
  const ThrottleCounters after = monitor.throttling();
  EXPECT_EQ(after.power_cap - before.power_cap, 1000u);
  EXPECT_EQ(after.hardware_thermal, 270u);
  EXPECT_EQ(after.power_brake, 0u);  // not supported there
  EXPECT_THAT(throttling_between(before, after), ElementsAre("power cap"));
  EXPECT_THAT(throttling_between(after, after), IsEmpty());
}

TEST(GpuMonitor, ReadsThePower) {
  EXPECT_DOUBLE_EQ(GpuMonitor("GPU-1", NVML_FIXTURE).power_watts(), 512.5);
}

TEST(GpuMonitor, CountsProcessesThatAreNotOurs) {
  const GpuMonitor monitor("GPU-1", NVML_FIXTURE);
  std::vector<unsigned> own(19);
  std::iota(own.begin(), own.end(), 100u);
  EXPECT_THAT(monitor.foreign_processes(own), ElementsAre(119u));
}

TEST(GpuMonitor, OneProcessIsOursWhereIdsAreOfAnotherNamespace) {
  const GpuMonitor monitor("GPU-1", NVML_FIXTURE);
  EXPECT_THAT(monitor.foreign_processes({7}), SizeIs(19));
}

TEST(GpuMonitor, WithoutALibraryKnowsNothingAndSaysWhy) {
  const GpuMonitor monitor("GPU-1", "libnot-there.so.1");
  EXPECT_FALSE(monitor.works());
  EXPECT_THAT(monitor.why(), HasSubstr("libnot-there.so.1 cannot be loaded"));
  EXPECT_EQ(monitor.throttling().power_cap, 0u);
  EXPECT_EQ(monitor.power_watts(), 0.0);
  EXPECT_THAT(monitor.foreign_processes({}), IsEmpty());
}

TEST(GpuMonitor, OfAnotherGpuKnowsNothing) {
  const GpuMonitor monitor("GPU-2", NVML_FIXTURE);
  EXPECT_FALSE(monitor.works());
  EXPECT_THAT(monitor.why(), HasSubstr("does not know the GPU (code 6)"));
}

TEST(GpuMonitor, AnotherLibraryIsNotTakenForIt) {
  const GpuMonitor monitor("GPU-1", DEVICE_FIXTURE);
  EXPECT_FALSE(monitor.works());
  EXPECT_THAT(monitor.why(), HasSubstr("lacks a function"));
}

}  // namespace
}  // namespace kernelloop
