#include "report/cells.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(Cells, ASlowRateIsNotZero) {
  const auto shown = [](double per_second) { return rate_cell(per_second, "B/s", "/x").text; };
  EXPECT_EQ(shown(4.2e12), "4200 GB/s");
  EXPECT_EQ(shown(9.995e10), "100 GB/s");
  EXPECT_EQ(shown(1.25e9), "1.25 GB/s");
  EXPECT_EQ(shown(9.998e8), "1.00 GB/s");
  EXPECT_EQ(shown(6.25e7), "62.5 MB/s");
  EXPECT_EQ(shown(340), "340 B/s");
  EXPECT_EQ(shown(0.25), "0.25 B/s");
  EXPECT_EQ(rate_cell(std::nullopt, "B/s", "/x").text, "–");
}

}  // namespace
}  // namespace kernelloop
