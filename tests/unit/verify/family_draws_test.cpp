// What each family draws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "family_samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace kernelloop {
namespace {

using samples::Values;
using testing::Each;
using testing::IsSupersetOf;

TEST(Families, ScalesReachFarAndStayInRange) {
  for (const char* dtype : {"float32", "bfloat16", "float16", "float8_e4m3"}) {
    const OpSpec spec = spec_with(dtype);
    const double type_largest = info(*parse_dtype(dtype)).largest;
    EXPECT_LE(largest(drawn(spec, "large")), type_largest) << dtype;
    EXPECT_GT(largest(drawn(spec, "large")), std::min(1e15, type_largest / 16.0)) << dtype;
    EXPECT_GT(largest(drawn(spec, "tiny")), 0.0) << dtype;
  }
  EXPECT_LT(largest(drawn(spec_with("float32"), "tiny")), 1e-5);
}

TEST(Families, ShiftedHasAMeanOf64Deviations) {
  const Values values = drawn(spec_with("float32"), "shifted");
  EXPECT_THAT(values, Each(testing::AllOf(testing::Gt(57.0), testing::Lt(71.0))));
  EXPECT_EQ(traits_of(&family("shifted"), spec_with("float32")).amplification, 64.0);
}

TEST(Families, ShiftedIsFartherInTypesOf16Bits) {
  for (const char* dtype : {"bfloat16", "float16"}) {
    const Values values = drawn(spec_with(dtype), "shifted");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double mean = i / 40 % 2 == 0 ? 64.0 : 512.0;
      EXPECT_GT(values[i], mean - 8.0) << dtype << " " << i;
      EXPECT_LT(values[i], mean + 8.0) << dtype << " " << i;
    }
    EXPECT_EQ(traits_of(&family("shifted"), spec_with(dtype)).amplification, 512.0);
    // A row that is alone is a far one.
    const Values alone = drawn(spec_with(dtype), "shifted", "w", 1, 40, 1);
    EXPECT_GT(std::ranges::min(alone), 400.0);
  }
  // Nor beyond what sums in a narrow type hold.
  const Values kept = drawn(
      spec_with("float16", R"("family": "normal")", R"({"accumulate": "float16"})"), "shifted");
  EXPECT_LT(largest(kept), 72.0);
}

TEST(Families, OutliersAreFew) {
  const Values values = drawn(spec_with("float32"), "outliers", "x", 100, 100);
  const auto far = std::count_if(values.begin(), values.end(),
                                 [](double value) { return std::fabs(value) > 10.0; });
  EXPECT_GT(far, 40);
  EXPECT_LT(far, 200);
}

TEST(Families, ConstantHasFewBits) {
  for (const char* dtype : {"float32", "float8_e5m2"}) {
    const Values values = drawn(spec_with(dtype), "constant");
    EXPECT_THAT(values, Each(values.front()));
    int exponent = 0;
    const double bits = 8.0 * std::frexp(values.front(), &exponent);
    EXPECT_EQ(bits, std::floor(bits));
    EXPECT_NE(values.front(), 0.0);
  }
}

// Head, middle, end, near it and elsewhere by turns; the last of the tensor always.
TEST(Families, OneElementOfEachRowStandsOut) {
  const Values one_hot = drawn(spec_with("bfloat16"), "one_hot");
  const Values needle = drawn(spec_with("bfloat16"), "needle");
  std::set<std::int64_t> columns;
  for (std::int64_t row = 0; row < 12; ++row) {
    std::int64_t found = 0;
    for (std::int64_t col = 0; col < 40; ++col) {
      const auto at = static_cast<std::size_t>(row * 40 + col);
      EXPECT_EQ(std::fabs(needle[at]) > 10.0, one_hot[at] != 0.0);
      if (one_hot[at] == 0.0) continue;
      columns.insert(col);
      ++found;
    }
    EXPECT_EQ(found, 1) << row;
  }
  EXPECT_THAT(columns, IsSupersetOf({0, 20, 39}));
  EXPECT_TRUE(std::any_of(columns.begin(), columns.end(),
                          [](std::int64_t col) { return col >= 23 && col < 39; }));
  EXPECT_NE(one_hot.back(), 0.0);
  EXPECT_NE(drawn(spec_with("bfloat16"), "one_hot", "x", 2, 40).back(), 0.0);
}

TEST(Families, TheOtherInputsKeepTheirOwnValues) {
  const OpSpec spec = spec_with("bfloat16");
  const Bindings axes{{"rows", 12}, {"cols", 40}};
  const auto draw = [&](const std::string& input, const FamilyChoice& choice) {
    std::vector<double> values(40);
    std::vector<std::byte> bytes(80);
    draw_input(spec, *spec.find_tensor(input), axes, choice, 7, bytes, values);
    return values;
  };
  EXPECT_EQ(draw("w", {&family("one_hot"), "x"}), draw("w", {}));
  EXPECT_NE(draw("w", {&family("one_hot"), "w"}), draw("w", {}));
  EXPECT_NE(draw("w", {&family("one_hot"), ""}), draw("w", {}));
}

TEST(Families, PairsCancel) {
  const Values values = drawn(spec_with("float32"), "cancelling");
  for (std::size_t i = 0; i < values.size(); i += 2) {
    EXPECT_NEAR(values[i] + values[i + 1], 1.0 / 64.0, 1e-6);
  }
}

TEST(Families, ExponentsReachWhereExpOverflows) {
  const Values values = drawn(spec_with("float32"), "exponents", "x", 18, 40);
  EXPECT_EQ(largest(values), 600.0);
  std::set<double> last;  // elements of rows, of either sign
  for (std::size_t row = 0; row < 18; ++row) last.insert(values[row * 40 + 39]);
  EXPECT_EQ(last.size(), 18U);
  EXPECT_TRUE(last.contains(11.0) && last.contains(-11.0) && last.contains(600.0));
  // A row that is alone is any of these.
  std::set<double> alone;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    alone.insert(drawn(spec_with("float32"), "exponents", "w", 1, 40, seed).back());
  }
  EXPECT_GT(alone.size(), 9U);
}

TEST(Families, TiesHaveFourValues) {
  const Values values = drawn(spec_with("float32"), "ties");
  EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{-1.0, 0.0, 1.0}));
  EXPECT_TRUE(std::any_of(values.begin(), values.end(),
                          [](double value) { return value == 0.0 && std::signbit(value); }));
}

// The greatest and the lowest are 1 and -1 by turns, or equal zeros of both signs.
TEST(Families, TiesAreAmongTheGreatestToo) {
  const Values values = drawn(spec_with("float32"), "ties", "x", 30, 40);
  for (std::ptrdiff_t row = 0; row < 30; ++row) {
    const auto [low, high] =
        std::minmax_element(values.begin() + 40 * row, values.begin() + 40 * (row + 1));
    EXPECT_EQ(*low, row % 3 == 2 ? 0.0 : -1.0) << row;
    EXPECT_EQ(*high, row % 3 == 1 ? 0.0 : 1.0) << row;
  }
  // A row that is alone is any of these.
  std::set<std::pair<double, double>> ends;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Values one = drawn(spec_with("float32"), "ties", "w", 1, 40, seed);
    ends.insert({std::ranges::min(one), std::ranges::max(one)});
  }
  EXPECT_EQ(ends.size(), 3U);
}

TEST(Families, SortedRowsRiseAndFall) {
  const Values values = drawn(spec_with("float32"), "sorted");
  EXPECT_TRUE(std::is_sorted(values.begin(), values.begin() + 40));
  EXPECT_TRUE(std::is_sorted(values.begin() + 40, values.begin() + 80, std::greater<>()));
}

TEST(Families, ScalesMakeRowsOfManySizes) {
  const Values values = drawn(spec_with("float32"), "scales", "x", 200, 40);
  std::set<int> sizes;
  int zeros = 0;
  for (auto row = values.begin(); row != values.end(); row += 40) {
    double squares = 0.0;
    for (auto value = row; value != row + 40; ++value) squares += *value * *value;
    const double size = std::sqrt(squares / 40.0);
    if (size == 0.0) {
      ++zeros;
      continue;
    }
    EXPECT_GT(size, 0x1p-26);
    EXPECT_LT(size, 4.0);
    sizes.insert(std::ilogb(size));
  }
  EXPECT_GT(sizes.size(), 20U);
  EXPECT_GT(zeros, 5);
  EXPECT_LT(zeros, 40);
}

// A gain of zeros would hide everything that it multiplies.
TEST(Families, ScalesLeaveATensorOfOneRowAlive) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    EXPECT_GT(largest(drawn(spec_with("float32"), "scales", "w", 1, 40, seed)), 0.0) << seed;
  }
}

TEST(Families, LeadsAreAheadByDegrees) {
  const Values values = drawn(spec_with("float32"), "leads", "x", 60, 40);
  std::set<int> leads;
  for (std::ptrdiff_t row = 0; row < 60; ++row) {
    std::vector<double> sorted(values.begin() + 40 * row, values.begin() + 40 * (row + 1));
    std::sort(sorted.begin(), sorted.end());
    EXPECT_GE(sorted[39], 2.0);
    EXPECT_LE(sorted[39], 26.0);
    EXPECT_LT(sorted[38], 6.0);
    leads.insert(static_cast<int>(sorted[39]) / 4);
  }
  EXPECT_EQ(leads.size(), 7U);
}

TEST(Families, AFewRowsLeadByDegreesToo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Values values = drawn(spec_with("float32"), "leads", "x", 5, 40, seed);
    std::vector<double> leads;
    for (std::ptrdiff_t row = 0; row < 5; ++row) {
      leads.push_back(
          *std::max_element(values.begin() + 40 * row, values.begin() + 40 * (row + 1)));
    }
    std::ranges::sort(leads);
    for (std::size_t i = 1; i < leads.size(); ++i) EXPECT_LT(leads[i] - leads[i - 1], 10.0) << seed;
  }
}

TEST(Families, MagnitudesReachEverySizeThatDoesNotOverflow) {
  for (const char* dtype : {"float32", "bfloat16", "float16"}) {
    const Values values = drawn(spec_with(dtype), "magnitudes", "x", 300, 40);
    std::set<int> sizes;
    std::set<bool> signs;  // of rows of one sign
    for (std::ptrdiff_t row = 0; row < 300; ++row) {
      const auto first = values.begin() + 40 * row;
      const auto [low, high] = std::minmax_element(first, first + 40);
      EXPECT_TRUE(std::isfinite(*low) && std::isfinite(*high));
      sizes.insert(std::ilogb(std::max(-*low, *high)));
      if (row % 4 == 3) {
        EXPECT_EQ(*low, *high);
      }
      if (row % 4 != 1) continue;
      EXPECT_GT(*low * *high, 0.0);
      EXPECT_LE(std::max(std::fabs(*low), std::fabs(*high)),
                2.0 * std::min(std::fabs(*low), std::fabs(*high)));
      signs.insert(*low > 0.0);
    }
    EXPECT_EQ(signs.size(), 2U);
    EXPECT_GT(sizes.size(), std::string(dtype) == "float16" ? 10U : 50U) << dtype;
  }
  std::set<int> alone;  // a tensor of one row has elements of all sizes
  for (const double value : drawn(spec_with("float32"), "magnitudes", "w", 1, 40)) {
    alone.insert(std::ilogb(value));
  }
  EXPECT_GT(alone.size(), 20U);
}

TEST(Families, StridedRowsHaveTheirGreatestAtEqualDistances) {
  constexpr std::int64_t k_cols = 400;
  const Values values = drawn(spec_with("float32"), "strided", "x", 24, k_cols);
  std::set<std::ptrdiff_t> powers;
  std::set<std::ptrdiff_t> others;
  for (std::int64_t row = 0; row < 24; ++row) {
    const auto begin = values.begin() + row * k_cols;
    std::vector<std::ptrdiff_t> greatest;
    for (std::ptrdiff_t i = 0; i < k_cols; ++i) {
      if (begin[i] >= 5.9) greatest.push_back(i);
    }
    ASSERT_GE(greatest.size(), 8U);
    const std::ptrdiff_t distance = greatest[1] - greatest[0];
    for (std::size_t i = 1; i < greatest.size(); ++i) {
      EXPECT_EQ(greatest[i] - greatest[i - 1], distance) << row;
    }
    if (row % 4 == 1) {
      EXPECT_EQ(distance, 1);
      EXPECT_EQ(greatest.size(), 16U);
    } else {
      (row % 4 == 3 ? others : powers).insert(distance);
    }
  }
  EXPECT_THAT(powers, Each(testing::AnyOf(8, 16, 32)));
  EXPECT_GT(powers.size(), 1U);
  EXPECT_TRUE(std::any_of(others.begin(), others.end(), [](std::ptrdiff_t distance) {
    return (distance & (distance - 1)) != 0;
  }));
}

TEST(Families, FaintRowsAreSmallButNormal) {
  for (const char* dtype : {"float32", "bfloat16"}) {
    const Values values = drawn(spec_with(dtype), "faint", "x", 200);
    for (const double value : values) EXPECT_GE(std::fabs(value), 0x1p-126);
    EXPECT_LT(largest(values), 1e-25);
    EXPECT_GT(largest(values), 1e-30);
  }
}

TEST(Families, NotAllNanHaveTheSameBits) {
  const OpSpec spec = spec_with("bfloat16");
  Values values(48 * 48);
  std::vector<std::byte> bytes(2 * values.size());
  draw_input(spec, *spec.find_tensor("x"), {{"rows", 48}, {"cols", 48}}, {&family("nan"), "x"}, 7,
             bytes, values);
  std::set<unsigned> patterns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) continue;
    const auto bits =
        std::to_integer<unsigned>(bytes[2 * i]) | std::to_integer<unsigned>(bytes[2 * i + 1]) << 8U;
    EXPECT_NE(bits & 0x40U, 0U);  // quiet
    patterns.insert(bits & 0x7FFFU);
  }
  EXPECT_TRUE(patterns.contains(0x7FC0U));
  EXPECT_GT(patterns.size(), 10U);
}

TEST(Families, ElementsStandOutWhereAChoiceSays) {
  const OpSpec spec = spec_with("float32");
  const std::vector<std::int64_t> places{5, 31, 7};
  Values values(12 * 40);
  std::vector<std::byte> bytes(4 * values.size());
  draw_input(spec, *spec.find_tensor("x"), {{"rows", 12}, {"cols", 40}},
             {&family("needle"), "", places}, 7, bytes, values);
  for (std::size_t row = 0; row < 12; ++row) {
    const auto place = static_cast<std::size_t>(places[row / 2 % 3]);
    const double needle = values[row * 40 + place];
    EXPECT_GT(row % 2 == 0 ? needle : -needle, 10.0) << row;
  }
}

TEST(Families, EdgeNeedsDeclaredEndsAndKeepsToThem) {
  EXPECT_FALSE(applies(family("edge"), spec_with("float32")));
  const OpSpec spec =
      spec_with("float32", R"("family": "normal", "at_least": -3e38, "at_most": 2e38)");
  EXPECT_TRUE(applies(family("edge"), spec));
  const Values values = drawn(spec, "edge");
  EXPECT_THAT(values, Each(testing::AllOf(testing::Ge(-3e38F), testing::Le(2e38F))));
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 1.3e38);
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -2.3e38);
  EXPECT_EQ(std::set<double>(values.begin(), values.begin() + 40).size(), 1U);
  EXPECT_EQ(std::set<double>(values.begin() + 40, values.begin() + 80).size(), 1U);
  EXPECT_GT(std::set<double>(values.begin() + 80, values.begin() + 120).size(), 30U);
}

TEST(Families, AllKeepToDeclaredEnds) {
  const OpSpec spec =
      spec_with("float32", R"("family": "uniform", "low": 0.5, "high": 2, "at_least": 0.25)");
  for (const InputFamily& each : input_families()) {
    if (!draws_input(each, *spec.find_tensor("x"))) continue;
    for (const double value : drawn(spec, std::string(each.name))) {
      EXPECT_FALSE(std::isfinite(value) && value < 0.25) << each.name;
    }
  }
}

TEST(Families, DenormalsAreTinyWhereTheyMayBeFlushed) {
  const Values flushed = drawn(spec_with("float32"), "denormal");
  const auto tiny = std::count_if(flushed.begin(), flushed.end(),
                                  [](double value) { return std::fabs(value) <= 0x1p-130; });
  EXPECT_GT(tiny, 480 / 8);
  EXPECT_LT(tiny, 480 / 2);
  const Values kept = drawn(
      spec_with("float32", R"("family": "normal")", R"({"denormals": "preserve"})"), "denormal");
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_LE(std::fabs(kept[i]), 0x1p-126);
    EXPECT_NE(kept[i], 0.0);
  }
}

TEST(Families, NonfiniteValuesFollowThePolicy) {
  const double inf = HUGE_VAL;
  const Values infinite = drawn(spec_with("bfloat16"), "infinite");
  EXPECT_GT(std::count(infinite.begin(), infinite.begin() + 40, -inf), 2);
  EXPECT_EQ(std::count(infinite.begin() + 40, infinite.begin() + 80, inf), 1);
  EXPECT_EQ(std::count(infinite.begin() + 80, infinite.begin() + 120, -inf), 40);
  const Values nan = drawn(spec_with("bfloat16"), "nan");
  // Rows of 40 by turns: one, one with the sign bit, several of both kinds, none.
  const auto count_nan = [&](int row, bool sign) {
    return std::count_if(nan.begin() + row * 40, nan.begin() + row * 40 + 40, [&](double value) {
      return std::isnan(value) && std::signbit(value) == sign;
    });
  };
  EXPECT_EQ(count_nan(0, false), 1);
  EXPECT_EQ(count_nan(1, true), 1);
  EXPECT_GT(count_nan(2, false) + count_nan(6, false), 1);
  EXPECT_GT(count_nan(2, true) + count_nan(6, true), 1);
  EXPECT_EQ(count_nan(3, false) + count_nan(3, true), 0);
  EXPECT_TRUE(std::isnan(nan.back()));
  EXPECT_GT(std::count(infinite.begin() + 200, infinite.begin() + 240, inf), 1);
  for (const char* name : {"infinite", "nan"}) {
    EXPECT_TRUE(applies(family(name), spec_with("bfloat16"))) << name;
    EXPECT_FALSE(applies(family(name), spec_with("bfloat16", R"("family": "normal")",
                                                 R"({"nonfinite": "undefined"})")));
    EXPECT_FALSE(applies(family(name), spec_with("float8_e4m3"))) << name;
    EXPECT_FALSE(traits_of(&family(name), spec_with("bfloat16")).free_where_undefined);
  }
  EXPECT_TRUE(traits_of(&family("constant"), spec_with("bfloat16")).free_where_undefined);
}

TEST(Families, RunsOfMaskedElementsStandAtEitherEnd) {
  std::set<std::ptrdiff_t> lengths;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Values values = drawn(spec_with("bfloat16"), "infinite", "x", 12, 40, seed);
    const auto masked = [](double value) { return value == -HUGE_VAL; };
    const auto ahead = std::find_if_not(values.begin() + 120, values.begin() + 160, masked);
    EXPECT_TRUE(std::none_of(ahead, values.begin() + 160, masked));
    const auto behind = std::find_if(values.begin() + 280, values.begin() + 320, masked);
    EXPECT_TRUE(std::all_of(behind, values.begin() + 320, masked));
    for (const std::ptrdiff_t length :
         {ahead - (values.begin() + 120), values.begin() + 320 - behind}) {
      EXPECT_GE(length, 1);
      EXPECT_LE(length, 39);
      lengths.insert(length);
    }
  }
  EXPECT_GT(lengths.size(), 15U);
  // A row that is alone is of every kind in its turn.
  std::set<std::ptrdiff_t> counts;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Values values = drawn(spec_with("bfloat16"), "infinite", "w", 1, 40, seed);
    counts.insert(std::count(values.begin(), values.end(), -HUGE_VAL));
  }
  EXPECT_TRUE(counts.contains(0) && counts.contains(40));
  EXPECT_GT(counts.size(), 8U);
}

// What stands for the maximum of nothing must not be greater than what is not masked.
TEST(Families, WhatIsNotMaskedIsOftenFarBelowZero) {
  const Values values = drawn(spec_with("bfloat16"), "infinite", "x", 160, 40);
  std::set<bool> low;
  for (const std::ptrdiff_t kind : {0, 3, 4, 7}) {
    for (std::ptrdiff_t row = kind; row < 160; row += 8) {
      const double highest =
          *std::max_element(values.begin() + 40 * row, values.begin() + 40 * (row + 1));
      low.insert(highest < -100.0);
      EXPECT_TRUE(highest < -100.0 || highest > -10.0) << highest;
    }
  }
  EXPECT_EQ(low.size(), 2U);
}

TEST(Families, InfinityMeetsZerosInTheOtherInputs) {
  const auto zeros = [](const OpSpec& spec, const char* name) {
    Values values(400);
    std::vector<std::byte> bytes(800);
    draw_input(spec, *spec.find_tensor("w"), {{"rows", 12}, {"cols", 400}}, {&family(name), "x"}, 7,
               bytes, values);
    return std::count(values.begin(), values.end(), 0.0);
  };
  for (const char* name : {"infinite", "nan"}) {
    EXPECT_GT(zeros(spec_with("bfloat16"), name), 400 / 16) << name;
    EXPECT_LT(zeros(spec_with("bfloat16"), name), 400 / 4) << name;
  }
  EXPECT_EQ(zeros(spec_with("bfloat16"), "one_hot"), 0);
}

// What is left out because it is all 0 meets them as well.
TEST(Families, InfinityMeetsWholeRowsOfZeros) {
  const OpSpec spec = samples::spec_from(R"({"name": "op",
    "axes": {"m": {"type": "var"}, "n": {"type": "var"}, "k": {"type": "var"}},
    "inputs": {"a": {"shape": ["m", "k"], "dtype": "float32"},
               "b": {"shape": ["k", "n"], "dtype": "float32"}},
    "outputs": {"c": {"shape": ["m", "n"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"m": 4, "n": 4, "k": 4}}]})");
  Values values(12 * 40);
  std::vector<std::byte> bytes(4 * values.size());
  draw_input(spec, *spec.find_tensor("a"), {{"m", 12}, {"n", 3}, {"k", 40}},
             {&family("infinite"), "b"}, 7, bytes, values);
  EXPECT_EQ(std::count(values.begin() + 7 * 40, values.end(), 0.0), 5 * 40);
  EXPECT_LT(std::count(values.begin(), values.begin() + 7 * 40, 0.0), 7 * 40 / 4);
}

TEST(Families, OneElementComesNearTheLimit) {
  for (const auto& [dtype, limit] :
       {std::pair{"bfloat16", 3.3e38}, std::pair{"float16", 65504.0}}) {
    std::set<bool> alone;  // whether it reaches the top by itself, or times ordinary elements
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Values values = drawn(spec_with(dtype), "near_limit", "x", 12, 40, seed);
      EXPECT_EQ(std::count_if(values.begin(), values.end(),
                              [](double value) { return std::fabs(value) > 100.0; }),
                1);
      const double factor = limit / largest(values);
      alone.insert(factor < 2.0);
      EXPECT_GE(factor, 0.97) << dtype;
      EXPECT_LT(factor, 8.0) << dtype;
      EXPECT_TRUE(factor < 1.5 || factor > 3.8) << dtype;
    }
    EXPECT_EQ(alone.size(), 2U) << dtype;
  }
  EXPECT_FALSE(applies(family("near_limit"), spec_with("bfloat16", R"("family": "normal")",
                                                       R"({"nonfinite": "undefined"})")));
}

}  // namespace
}  // namespace kernelloop
