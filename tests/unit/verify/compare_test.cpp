// The comparator, which works on blocks of vectors, against its definitions taken one by one.
#include "verify/compare.hpp"

#include "verify/elements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace kernelloop {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  DType type = DType::bfloat16;
  std::vector<std::int64_t> shape;
  std::vector<double> reference;
  std::vector<double> magnitude;
  std::vector<std::byte> candidate;
  ErrorModel model;

  [[nodiscard]] std::size_t size() const { return info(type).size; }
  [[nodiscard]] double got(std::size_t i) const {
    return load_element(type, candidate.data() + i * size());
  }
  void set(std::size_t i, double value) {
    store_element(type, value, candidate.data() + i * size());
  }
  [[nodiscard]] double largest() const {
    return info(type).floating ? info(type).largest : std::numeric_limits<double>::max();
  }
  [[nodiscard]] ReferenceScale scale() const { return scale_of(reference, shape, 1, largest()); }
  [[nodiscard]] Metrics metrics() const {
    const ReferenceScale of = scale();
    return compare(type, candidate.data(), reference, of,
                   TermMagnitude(of, magnitude, model.amplification), model);
  }
};

Case random_case(DType type, std::vector<std::int64_t> shape, bool magnitude_given) {
  Case one;
  one.type = type;
  one.model.output_roundoff = info(type).unit_roundoff;
  one.model.accumulated = 0x1p-18;
  one.model.output_underflow = underflow_step(type, true);
  one.model.underflow = one.model.output_underflow;
  one.model.amplification = magnitude_given ? 1.0 : 1.5;
  std::int64_t count = 1;
  for (const std::int64_t axis : shape) count *= axis;
  one.shape = std::move(shape);
  one.candidate.resize(static_cast<std::size_t>(count) * one.size());
  std::mt19937_64 random(static_cast<std::uint64_t>(count));
  std::normal_distribution<double> normal(0.0, info(type).floating ? 1.0 : 40.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    // Rows of different scales, and some zeros.
    const double value = i % 13 == 12 ? 0.0 : normal(random) * (i / 1000 % 3 == 0 ? 1e-2 : 1.0);
    one.reference.push_back(value);
    if (magnitude_given) one.magnitude.push_back(std::fabs(value) + std::fabs(normal(random)));
    one.set(i, value * (1.0 + 1e-4 * normal(random)));
  }
  return one;
}

// The definitions, in the order of the elements. Sums in long double.
Metrics defined(const Case& one) {
  const DTypeInfo& type = info(one.type);
  const ReferenceScale scale = one.scale();
  const double limit = one.largest();
  const auto ratio = [](double a, double b) { return a == 0.0 ? 0.0 : b > 0.0 ? a / b : k_inf; };
  Metrics m;
  long double errors = 0, squares = 0, got2 = 0, ref2 = 0, product = 0, terms2 = 0, rounding2 = 0;
  std::int64_t first_nonfinite = -1;
  for (std::size_t i = 0; i < one.reference.size(); ++i) {
    const double ref = one.reference[i];
    const double got = one.got(i);
    if (std::isnan(ref) || std::fabs(ref) > limit || !std::isfinite(got)) {
      const bool free = one.model.free_where_undefined || !type.floating;
      if ((free && std::isnan(ref)) || same_class(type, got, ref)) continue;
      if (m.nonfinite++ == 0) first_nonfinite = static_cast<std::int64_t>(i);
      if (std::isnan(got) && m.unexpected_nan++ == 0) m.first_nan = static_cast<std::int64_t>(i);
      continue;
    }
    const double rms = scale.slab_rms[i / static_cast<std::size_t>(scale.slab)];
    const double size = std::fabs(ref);
    const double terms =
        one.magnitude.empty() ? one.model.amplification * std::max(size, rms) : one.magnitude[i];
    const double bound = one.model.bound(size, terms);
    const double floor = std::max({size, rms, one.model.underflow});
    const double error = std::fabs(got - ref);
    if (ratio(error, bound) > m.elementwise || m.worst < 0) {
      m.elementwise = ratio(error, bound);
      m.worst = static_cast<std::int64_t>(i);
    }
    ++m.compared;
    m.max_abs = std::max(m.max_abs, error);
    m.max_rel = std::max(m.max_rel, ratio(error, floor));
    m.max_ulp = std::max(m.max_ulp, error / spacing_at(type, one.model.output_underflow, ref));
    m.widest_bound = std::max(m.widest_bound, bound);
    m.widest_relative_bound = std::max(m.widest_relative_bound, ratio(bound, floor));
    errors += error;
    squares += error * error;
    got2 += got * got;
    ref2 += ref * ref;
    product += got * ref;
    terms2 += terms * terms;
    const double spacing = spacing_at(type, one.model.output_underflow, ref);
    const bool told = type.floating && one.type != DType::float64;
    const double rounding = told ? std::nearbyint(size / spacing) * spacing - size : 0.0;
    rounding2 += rounding * rounding;
  }
  if (first_nonfinite >= 0) m.worst = first_nonfinite;
  const auto count = static_cast<long double>(std::max<std::int64_t>(m.compared, 1));
  m.mae = static_cast<double>(errors / count);
  m.mse = static_cast<double>(squares / count);
  m.rmse = std::sqrt(m.mse);
  m.term_rms = static_cast<double>(std::sqrt(terms2 / count));
  m.rounding = rounding2 == 0 ? 0.0 : static_cast<double>(std::sqrt(rounding2 / ref2));
  m.psnr = m.rmse == 0.0 ? k_inf : 20.0 * std::log10(scale.largest / m.rmse);
  m.normwise = squares == 0 ? 0.0 : static_cast<double>(std::sqrt(squares / ref2));
  const long double norms = std::sqrt(got2 * ref2);
  m.cosine = norms > 0 ? static_cast<double>(product / norms) : got2 == ref2 ? 1.0 : 0.0;
  m.factor = static_cast<double>(product / ref2);
  return m;
}

void expect_as_defined(const Case& one, const std::string& what) {
  SCOPED_TRACE(what);
  const Metrics want = defined(one);
  const Metrics have = one.metrics();
  // Exact, whatever the order of the elements.
  EXPECT_EQ(have.compared, want.compared);
  EXPECT_EQ(have.nonfinite, want.nonfinite);
  EXPECT_EQ(have.unexpected_nan, want.unexpected_nan);
  EXPECT_EQ(have.first_nan, want.first_nan);
  EXPECT_EQ(have.worst, want.worst);
  EXPECT_EQ(have.max_abs, want.max_abs);
  EXPECT_EQ(have.max_rel, want.max_rel);
  EXPECT_EQ(have.max_ulp, want.max_ulp);
  EXPECT_EQ(have.elementwise, want.elementwise);
  EXPECT_EQ(have.widest_bound, want.widest_bound);
  // To the last digits: a lane of a piece adds up 2^15 numbers.
  const auto expect_close = [](const char* metric, double value, double wanted) {
    if (value == wanted) return;
    EXPECT_NEAR(value, wanted, 0x1p-38 * std::fabs(wanted)) << metric;
  };
  expect_close("widest_relative_bound", have.widest_relative_bound, want.widest_relative_bound);
  expect_close("mae", have.mae, want.mae);
  expect_close("mse", have.mse, want.mse);
  expect_close("rmse", have.rmse, want.rmse);
  expect_close("term_rms", have.term_rms, want.term_rms);
  expect_close("rounding", have.rounding, want.rounding);
  expect_close("psnr", have.psnr, want.psnr);
  expect_close("normwise", have.normwise, want.normwise);
  expect_close("cosine", have.cosine, want.cosine);
  expect_close("factor", have.factor, want.factor);
}

// One element; blocks of odd and even length; slabs that end inside pieces and longer than them.
const std::vector<std::vector<std::int64_t>> k_shapes = {
    {1}, {7, 5}, {40, 64}, {33, 65}, {3, 257}, {9, 1000}, {2, 70001}, {5, 3, 128}};

TEST(Compare, GivesTheDefinedMetricsForEveryTypeAndShape) {
  for (const std::string& name : dtype_names()) {
    for (const auto& shape : k_shapes) {
      const Case one = random_case(*parse_dtype(name), shape, false);
      expect_as_defined(one, name + " " + std::to_string(one.reference.size()));
    }
  }
}

TEST(Compare, TakesTheMagnitudeOfTheTermsWhereItIsGiven) {
  for (const auto& shape : k_shapes) {
    const Case one = random_case(DType::float32, shape, true);
    expect_as_defined(one, std::to_string(one.reference.size()));
  }
}

TEST(Compare, LeavesElementsThatAreNotFiniteOutAndCountsThoseOfTheWrongClass) {
  for (const DType type : {DType::bfloat16, DType::float16, DType::float32, DType::float64}) {
    for (const bool magnitude_given : {false, true}) {
      for (const auto& shape : k_shapes) {
        Case one = random_case(type, shape, magnitude_given);
        const std::size_t count = one.reference.size();
        for (std::size_t i = 3; i < count; i += 97) one.set(i, i % 2 == 0 ? k_nan : k_inf);
        for (std::size_t i = 6; i < count; i += 89) one.reference[i] = i % 2 == 0 ? -k_inf : k_nan;
        for (std::size_t i = 6; i < count; i += 178) one.set(i, -k_inf);
        expect_as_defined(one, std::string(info(type).name) + " " + std::to_string(count));
      }
    }
  }
}

TEST(Compare, LeavesAloneWhatTheReferenceLeavesOpen) {
  Case one = random_case(DType::float32, {33, 65}, false);
  for (std::size_t i = 5; i < one.reference.size(); i += 50) one.reference[i] = k_nan;
  EXPECT_GT(one.metrics().nonfinite, 0);
  one.model.free_where_undefined = true;
  EXPECT_EQ(one.metrics().nonfinite, 0);
  expect_as_defined(one, "open");
}

TEST(Compare, FindsOneWrongElementWhereverItIs) {
  for (const std::size_t place : {0u, 1u, 255u, 256u, 999u, 65535u, 65536u, 140000u, 140001u}) {
    Case one = random_case(DType::bfloat16, {2, 70001}, false);
    one.set(place, 100.0);
    EXPECT_EQ(one.metrics().worst, static_cast<std::int64_t>(place));
    expect_as_defined(one, std::to_string(place));
  }
}

TEST(Compare, OfTwoEquallyWrongElementsNamesTheFirst) {
  Case one = random_case(DType::float32, {2, 70001}, false);
  for (const std::size_t place : {300u, 301u, 512u, 69999u}) {
    one.reference[place] = 2.0;
    one.set(place, 64.0);
  }
  EXPECT_EQ(one.metrics().worst, 300);
  expect_as_defined(one, "ties");
}

TEST(Compare, AnOutputWithoutAFiniteElementHasNoWorst) {
  Case one = random_case(DType::float32, {2, 100}, false);
  std::fill(one.reference.begin(), one.reference.end(), k_nan);
  for (std::size_t i = 0; i < one.reference.size(); ++i) one.set(i, k_nan);
  const Metrics metrics = one.metrics();
  EXPECT_EQ(metrics.compared, 0);
  EXPECT_EQ(metrics.nonfinite, 0);
  EXPECT_EQ(metrics.worst, -1);
}

TEST(Compare, AMagnitudeThatIsNoneExcusesNothing) {
  for (const double nonsense : {k_nan, -1e9}) {
    Case one = random_case(DType::float32, {2, 1000}, true);
    one.magnitude[700] = nonsense;
    const Metrics metrics = one.metrics();
    EXPECT_EQ(metrics.elementwise, k_inf);
    EXPECT_EQ(metrics.worst, 700);
    EXPECT_EQ(metrics.widest_bound, defined(one).widest_bound);
  }
}

TEST(Compare, NothingFiniteIsAsLargeAsAnInfiniteReference) {
  for (const DType type : {DType::int32, DType::float64}) {
    Case one = random_case(type, {2, 100}, false);
    one.reference[150] = k_inf;
    one.set(150, std::numeric_limits<double>::max());
    const Metrics metrics = one.metrics();
    EXPECT_EQ(metrics.nonfinite, 1);
    EXPECT_EQ(metrics.worst, 150);
  }
}

TEST(Compare, TheSumsOfTwoRunsAreTheSameToTheBit) {
  const Case one = random_case(DType::float16, {700, 1001}, false);
  const Metrics first = one.metrics();
  const Metrics second = one.metrics();
  EXPECT_EQ(first.mae, second.mae);
  EXPECT_EQ(first.mse, second.mse);
  EXPECT_EQ(first.cosine, second.cosine);
}

TEST(Elements, EveryFloat16IsReadAsItIsDefined) {
  for (std::uint32_t code = 0; code < 65536; ++code) {
    const auto bits = static_cast<std::uint16_t>(code);
    std::array<std::byte, 2> bytes{};
    std::memcpy(bytes.data(), &bits, sizeof bits);
    const double want = load_element(DType::float16, bytes.data());
    const auto have = static_cast<double>(float_of_half(bits));
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(have)) << code;
    } else {
      EXPECT_EQ(have, want) << code;
      EXPECT_EQ(std::signbit(have), std::signbit(want)) << code;
    }
  }
}

}  // namespace
}  // namespace kernelloop
