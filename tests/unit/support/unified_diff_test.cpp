#include "support/unified_diff.hpp"

#include "support/files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelloop {
namespace {

TEST(UnifiedDiff, ShowsWhatChangedUnderTheGivenNames) {
  EXPECT_EQ(unified_diff("a\nb\n", "a\nc\n", "v001", "v002"),
            "--- v001\n+++ v002\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
  EXPECT_EQ(unified_diff("a\n", "a\n", "v001", "v002"), "no difference\n");
}

TEST(UnifiedDiff, WithoutTheProgramItSaysSo) {
  const TemporaryDirectory empty;
  const std::string path = std::getenv("PATH");
  setenv("PATH", empty.path().c_str(), 1);
  const std::string text = unified_diff("a\n", "b\n", "v001", "v002");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(text,
            "the program diff is not on this machine (package diffutils); nothing can be "
            "compared\n");
}

}  // namespace
}  // namespace kernelloop
