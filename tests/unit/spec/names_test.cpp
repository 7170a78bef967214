#include "spec/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

TEST(Names, GoodOnes) {
  for (const char* name : {"x", "rows", "_x", "head_dim", "K2", "exports", "x_"}) {
    EXPECT_EQ(name_fault(name), "") << name;
  }
}

TEST(Names, NoIdentifiers) {
  for (const char* name : {"", "2d", "a-b", "a b", "a/b", "\xC3\xA4", "a.b", "x\n"}) {
    EXPECT_THAT(name_fault(name), HasSubstr("not a C identifier")) << name;
  }
}

TEST(Names, KeywordsAndReservedOnes) {
  for (const char* name : {"int", "template", "co_await", "xor"}) {
    EXPECT_THAT(name_fault(name), HasSubstr("keyword")) << name;
  }
  for (const char* name : {"_Rows", "a__b", "__x"}) {
    EXPECT_THAT(name_fault(name), HasSubstr("reserved")) << name;
  }
  for (const char* name : {"min", "max", "ceil_div", "workspace", "std"}) {
    EXPECT_THAT(name_fault(name), HasSubstr("meaning of its own")) << name;
  }
}

}  // namespace
}  // namespace kernelloop
