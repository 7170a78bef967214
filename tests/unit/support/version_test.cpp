#include "support/version.hpp"

#include <gtest/gtest.h>

namespace kernelloop {

TEST(Version, NamesSortAndComeBack) {
  EXPECT_EQ(version_name(7), "v007");
  EXPECT_EQ(version_name(1000), "v1000");
  EXPECT_EQ(version_number("v007"), 7);
  EXPECT_EQ(version_number("v1000"), 1000);
}

TEST(Version, RefusesWhatIsNoName) {
  for (const char* text : {"", "v", "v7", "v0007", "v000", "v-01", "x001", "v001.cu", "v01a"}) {
    EXPECT_EQ(version_number(text), 0) << text;
  }
}

}  // namespace kernelloop
