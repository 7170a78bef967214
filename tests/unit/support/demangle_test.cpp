#include "support/demangle.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(Demangled, Demangles) {
  EXPECT_EQ(demangled("_Z1kPfi"), "k(float*, int)");
  EXPECT_EQ(demangled("plain"), "plain");
  EXPECT_EQ(demangled("_Znonsense!"), "_Znonsense!");
}

TEST(Demangled, APlainNameIsNoType) { EXPECT_EQ(demangled("f"), "f"); }

}  // namespace
}  // namespace kernelloop
