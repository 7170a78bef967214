#include "device/architecture.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(ArchitectureFor, TakesTheDevicesOwn) {
  EXPECT_EQ(architecture_for("sm_90", {"80", "90", "100"}), "90");
  EXPECT_EQ(architecture_for("sm_80", {"90a", "80"}), "80");
}

TEST(ArchitectureFor, PrefersTheSpecificCode) {
  EXPECT_EQ(architecture_for("sm_90", {"90", "90a"}), "90a");
  EXPECT_EQ(architecture_for("sm_100", {"100", "100f"}), "100f");
}

TEST(ArchitectureFor, TakesTheNearestBelowOfTheSameGeneration) {
  EXPECT_EQ(architecture_for("sm_89", {"80", "86"}), "86");
  EXPECT_EQ(architecture_for("sm_121", {"120f"}), "120f");
}

TEST(ArchitectureFor, SaysWhenNothingRuns) {
  EXPECT_EQ(architecture_for("sm_90", {"80", "100a"}), "");
  EXPECT_EQ(architecture_for("sm_86", {"89"}), "");
  EXPECT_EQ(architecture_for("sm_103", {"100a"}), "");  // specific code is for one GPU only
  EXPECT_EQ(architecture_for("sm_90", {}), "");
}

TEST(ArchitectureFor, KnowsNothingOfOtherNames) {
  EXPECT_EQ(architecture_for("", {"90"}), "");
  EXPECT_EQ(architecture_for("gfx942", {"90"}), "");
  EXPECT_EQ(architecture_for("sm_90", {"90x", "compute_90"}), "");
}

}  // namespace
}  // namespace kernelloop
