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
  for (const char* name :
       {"min", "max", "ceil_div", "workspace", "std", "main", "stream", "Axes", "kl_rows"}) {
    EXPECT_THAT(name_fault(name), HasSubstr("has a meaning in CUDA")) << name;
  }
}

TEST(Names, OnesThatHeadersGiveAMeaning) {
  for (const char* name : {"NULL", "errno", "EOF", "assert", "INFINITY", "NAN", "stdin", "INT_MAX",
                           "M_PI", "cudaError_t", "cudaStream_t", "CUDART_INF", "threadIdx",
                           "blockIdx", "warpSize", "dim3", "float4", "size_t", "int64_t"}) {
    EXPECT_THAT(name_fault(name), HasSubstr("choose another name")) << name;
  }
  // Names of operators that CUDA has functions of, and of what is only in a namespace.
  for (const char* name : {"exp", "sqrt", "vector", "string", "E", "EPS", "N", "K", "half"}) {
    EXPECT_EQ(name_fault(name), "") << name;
  }
}

}  // namespace
}  // namespace kernelloop
