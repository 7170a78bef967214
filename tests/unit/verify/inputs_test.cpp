#include "verify/inputs.hpp"

#include "support/error.hpp"
#include "verify/seed_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace kernelloop {
namespace {

struct Drawn {
  std::vector<std::byte> bytes;
  std::vector<double> exact;
};

Drawn draw(DType type, const InputValues& values, std::size_t count, std::uint64_t seed = 5) {
  Tensor tensor;
  tensor.name = "x";
  tensor.dtype = type;
  Drawn drawn{std::vector<std::byte>(count * info(type).size), std::vector<double>(count)};
  draw_tensor(tensor, values, seed, drawn.bytes, drawn.exact);
  return drawn;
}

TEST(Inputs, DoublesAreWhatTheTensorHolds) {
  InputValues values;
  values.deviation = 30.0;
  for (const DType type : {DType::float64, DType::float32, DType::float16, DType::bfloat16,
                           DType::float8_e4m3, DType::float8_e5m2, DType::int32, DType::int8}) {
    const Drawn drawn = draw(type, values, 1001);
    for (std::size_t i = 0; i < drawn.exact.size(); ++i) {
      ASSERT_EQ(drawn.exact[i], load_element(type, &drawn.bytes[i * info(type).size]))
          << info(type).name << " " << i;
    }
  }
}

TEST(Inputs, OneSeedGivesTheSameDataAndAnotherOneDoesNot) {
  const InputValues values;
  EXPECT_EQ(draw(DType::float32, values, 200000).bytes, draw(DType::float32, values, 200000).bytes);
  EXPECT_NE(draw(DType::float32, values, 100).bytes, draw(DType::float32, values, 100, 6).bytes);
}

TEST(Inputs, NormalValuesHaveTheirMeanAndDeviation) {
  InputValues values;
  values.mean = 3.0;
  values.deviation = 0.5;
  for (const DType type : {DType::float64, DType::float32}) {
    const std::vector<double> drawn = draw(type, values, 100000).exact;
    const double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / 1e5;
    double squares = 0.0;
    for (const double value : drawn) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(mean, 3.0, 0.02);
    EXPECT_NEAR(std::sqrt(squares / 1e5), 0.5, 0.02);
    EXPECT_GT(*std::max_element(drawn.begin(), drawn.end()), 3.0 + 3.5 * 0.5);
  }
}

TEST(Inputs, OtherFamiliesStayWithinTheirBounds) {
  InputValues values;
  values.family = "uniform";
  values.low = -2.0;
  values.high = 5.0;
  const std::vector<double> uniform = draw(DType::float32, values, 10000).exact;
  EXPECT_THAT(uniform, testing::Each(testing::AllOf(testing::Ge(-2.0), testing::Lt(5.0))));
  EXPECT_LT(*std::min_element(uniform.begin(), uniform.end()), -1.9);
  values.family = "integers";
  const std::vector<double> integers = draw(DType::bfloat16, values, 10000).exact;
  EXPECT_EQ(std::set<double>(integers.begin(), integers.end()),
            (std::set<double>{-2, -1, 0, 1, 2, 3, 4, 5}));
  values.family = "constant";
  values.value = 0.5;
  EXPECT_THAT(draw(DType::float16, values, 100).exact, testing::Each(0.5));
  values.family = "gamma";
  EXPECT_THROW(draw(DType::float16, values, 1), Error);
}

TEST(Inputs, ScalarsAreRoundedAndCanBeOverridden) {
  const OpSpec spec = samples::rmsnorm();
  const Bindings axes = resolve_axes(spec, {{"rows", 2}, {"cols", 3}});
  EXPECT_EQ(draw_scalars(spec, axes, {}, 1), (std::map<std::string, double>{{"eps", 1e-6F}}));
  EXPECT_EQ(draw_scalars(spec, axes, {{"eps", 0.25}}, 1),
            (std::map<std::string, double>{{"eps", 0.25}}));
}

TEST(Inputs, ConstantScalarsVaryWhereTheyAreToldTo) {
  OpSpec spec = samples::rmsnorm();
  const Bindings axes = resolve_axes(spec, {{"rows", 2}, {"cols", 3}});
  int larger = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const double eps = draw_scalars(spec, axes, {}, seed, true).at("eps");
    const double factor = eps < 1e-6 ? 1e-6 / eps : eps / 1e-6;
    EXPECT_GT(factor, 1.99);
    EXPECT_LT(factor, 4.01);
    larger += eps > 1e-6 ? 1 : 0;
    EXPECT_EQ(draw_scalars(spec, axes, {}, seed, true).at("eps"), eps);
    EXPECT_EQ(draw_scalars(spec, axes, {{"eps", 0.25}}, seed, true).at("eps"), 0.25);
  }
  EXPECT_GT(larger, 20);
  EXPECT_LT(larger, 80);
  const auto drawn = [&](std::uint64_t seed) {
    return draw_scalars(spec, axes, {}, seed, true).at("eps");
  };
  for (Tensor& input : spec.inputs) {
    if (input.scalar) input.values.at_least = 1e-6F;
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_GT(drawn(seed), 1.99e-6);
  for (Tensor& input : spec.inputs) {
    if (input.scalar) input.values.at_most = 1e-6F;
  }
  EXPECT_EQ(drawn(1), 1e-6F);
}

TEST(Inputs, ScalarsFollowTheShape) {
  OpSpec spec = samples::rmsnorm();
  for (Tensor& input : spec.inputs) {
    if (!input.scalar) continue;
    input.values.family = "integers";
    input.values.low_formula = Expression::parse("cols");
    input.values.high_formula = Expression::parse("cols");
  }
  const Bindings axes = resolve_axes(spec, {{"rows", 2}, {"cols", 3}});
  EXPECT_EQ(draw_scalars(spec, axes, {}, 1), (std::map<std::string, double>{{"eps", 3.0}}));
}

TEST(Inputs, AShareOfTheElementsIsSpecial) {
  InputValues values;
  values.family = "integers";
  values.high = 99.0;
  const std::vector<double> plain = draw(DType::int64, values, 100000).exact;
  values.special_value = -100.0;
  values.special_share = 0.125;
  const Drawn drawn = draw(DType::int64, values, 100000);
  std::int64_t special = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(drawn.exact[i], load_element(DType::int64, &drawn.bytes[i * 8])) << i;
    if (drawn.exact[i] == -100.0) {
      ++special;
    } else {
      ASSERT_EQ(drawn.exact[i], plain[i]) << i;
    }
  }
  EXPECT_NEAR(static_cast<double>(special) / 1e5, 0.125, 0.01);
  values.special_share = 1.0;
  EXPECT_THAT(draw(DType::int64, values, 1000).exact, testing::Each(-100.0));
}

TEST(SeedSource, SeedsAreFreshUnlessFixed) {
  SeedSource fresh;
  const std::set<std::uint64_t> seeds{fresh.next(), fresh.next(), fresh.next()};
  EXPECT_EQ(seeds.size(), 3U);
  EXPECT_LT(*seeds.rbegin(), std::uint64_t{1} << 53);
  SeedSource fixed(17);
  EXPECT_EQ(fixed.next(), 17U);
  EXPECT_EQ(fixed.next(), 17U);
}

}  // namespace
}  // namespace kernelloop
