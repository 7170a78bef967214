#include "support/rounded.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kernelloop {
namespace {

TEST(Rounded, WhatIsNearOneShowsHowFarItIsFromIt) {
  EXPECT_EQ(beside_one(0.9999997), "1 - 3e-07");
  EXPECT_EQ(beside_one(1.0000002), "1 + 2e-07");
  EXPECT_EQ(beside_one(1.0), "1");
  EXPECT_EQ(beside_one(0.98), "0.98");
  EXPECT_EQ(beside_one(std::nan("")), "nan");
  EXPECT_EQ(beside_one(0.98, [](double) { return std::string("less"); }), "less");
  EXPECT_EQ(beside_one(0.00123456), "0.001235");
}

TEST(Rounded, ToTheNearestStepOfOneTwoOrFive) {
  EXPECT_EQ(rounded(50.78), "51");
  EXPECT_EQ(rounded(18.37), "18.4");
  EXPECT_EQ(rounded(33.376), "33.5");
  EXPECT_EQ(rounded(3653.6), "3650");
  EXPECT_EQ(rounded(0.9803), "0.98");
  EXPECT_EQ(rounded(-64.1), "-64");
  EXPECT_EQ(rounded(100.0), "100");
  EXPECT_EQ(rounded(99.96), "100");
  EXPECT_EQ(rounded(100.4), "100");
  EXPECT_EQ(rounded(12.34, 0.05), "12");
  EXPECT_EQ(rounded(53.0, 0.05), "55");
}

TEST(Rounded, ManagesTheExtremes) {
  EXPECT_EQ(rounded(0.0), "0");
  EXPECT_EQ(rounded(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(rounded(NAN), "nan");
  EXPECT_EQ(rounded(1.2345e-9), "1.24e-09");
  EXPECT_EQ(rounded(0.000123), "0.000124");
}

// The error stays below half of the step, which is at most two and a half times the precision.
TEST(Rounded, IsNeverFarOff) {
  for (double value = 0.011; value < 2e6; value *= 1.037) {
    EXPECT_NEAR(std::stod(rounded(value)), value, 0.0126 * value) << value;
  }
}

TEST(Rounded, PerCents) {
  EXPECT_EQ(rounded_percent(0.7519), "75");
  EXPECT_EQ(rounded_percent(1.0), "100");
  EXPECT_EQ(rounded_percent(0.004049), "0.4");
  EXPECT_EQ(rounded_percent(0.0), "0");
}

TEST(Rounded, SpreadInWords) {
  EXPECT_EQ(spread_in_words(0.0), "under 1 %");
  EXPECT_EQ(spread_in_words(0.0192), "under 2 %");
  EXPECT_EQ(spread_in_words(0.02), "under 5 %");
  EXPECT_EQ(spread_in_words(0.7), "50 % or more");
  EXPECT_EQ(spread_in_words(NAN), "unknown");
}

}  // namespace
}  // namespace kernelloop
