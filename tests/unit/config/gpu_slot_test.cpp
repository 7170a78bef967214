#include "config/gpu_slot.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(GpuSlot, AUuidGoesThroughCTestAndBack) {
  const std::string uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";
  const std::string id = ctest_id(uuid);
  EXPECT_EQ(id, "gpu_01234567_89ab_cdef_0123_456789abcdef");
  const auto given = [&](const std::string& text) {
    return allocated_gpu([&](const std::string& name) {
      return name == "CTEST_RESOURCE_GROUP_0_GPUS" ? text : std::string();
    });
  };
  EXPECT_EQ(given("id:" + id + ",slots:1"), uuid);
  EXPECT_EQ(given("id:" + id + ",slots:2;id:gpu_f,slots:1"), uuid);
  EXPECT_EQ(given(""), "") << "ctest without a resource specification";
  EXPECT_EQ(given("id:0,slots:1"), "") << "a specification of somebody's own";
}

}  // namespace
}  // namespace kernelloop
