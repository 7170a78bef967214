#include "trace/clock_fit.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(ClockFit, AlignsMultiprocessorsThatCountFromElsewhere) {
  ClockFits fits(1.0);
  fits.add(0, 5'000'000, 1'000'000'000);
  fits.add(0, 5'000'000 + 17'500, 1'000'010'000);
  fits.add(7, 90'000'000'000, 1'000'002'000);
  fits.add(7, 90'000'000'000 + 14'000, 1'000'010'000);
  fits.fit();
  EXPECT_DOUBLE_EQ(fits.cycles_per_ns(), 1.75);
  EXPECT_NEAR(fits.find(0)->ns_of(5'000'000 + 8'750), 5000, 1e-6);
  EXPECT_NEAR(fits.find(7)->ns_of(90'000'000'000.0 + 1'750), 3000, 1e-6);
}

TEST(ClockFit, TakesTheRateOfOthersWhereTheSpanIsShort) {
  ClockFits fits(1.0);
  fits.add(0, 0, 0);
  fits.add(0, 20'000, 10'000);
  fits.add(1, 500, 64);
  fits.fit();
  EXPECT_NEAR(fits.find(1)->ns_of(700), 164, 1e-6);
}

TEST(ClockFit, FallsBackWithoutAnySpan) {
  ClockFits fits(2.0);
  fits.add(3, 1000, 50);
  fits.fit();
  EXPECT_EQ(fits.cycles_per_ns(), 0);
  EXPECT_EQ(fits.find(4), nullptr);
  EXPECT_NEAR(fits.find(3)->ns_of(1200), 100, 1e-6);
}

TEST(ClockFit, CoarseStepsAverageOut) {
  ClockFits fits(1.0);
  for (int i = 0; i < 1000; ++i) {
    const double ns = 17.0 * i;
    fits.add(0, static_cast<std::uint64_t>(ns * 2), static_cast<std::uint64_t>(ns / 32) * 32);
  }
  fits.fit();
  EXPECT_NEAR(fits.find(0)->ns_of(2 * 8000.0), 8000, 20);
}

}  // namespace
}  // namespace kernelloop
