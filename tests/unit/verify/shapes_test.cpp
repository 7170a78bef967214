#include "verify/shapes.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <algorithm>
#include <set>

namespace kernelloop {
namespace {

using testing::Contains;
using testing::IsSupersetOf;

std::set<std::int64_t> values_of(const std::vector<Bindings>& shapes, const std::string& axis) {
  std::set<std::int64_t> values;
  for (const Bindings& shape : shapes) values.insert(shape.at(axis));
  return values;
}

OpSpec constrained() {
  return samples::spec_from(R"({"name": "attention", "description": "Grouped heads",
    "axes": {"heads": {"type": "var"}, "kv_heads": {"type": "var"}, "dim": {"type": "var"},
             "width": {"type": "expr", "expression": "heads*dim"}},
    "constraints": ["heads % kv_heads == 0", "dim % 16 == 0"],
    "inputs": {"q": {"shape": ["heads", "dim"], "dtype": "bfloat16"},
               "k": {"shape": ["kv_heads", "dim"], "dtype": "bfloat16"}},
    "outputs": {"o": {"shape": ["width"], "dtype": "bfloat16"}},
    "workloads": [{"name": "w", "axes": {"heads": 32, "kv_heads": 8, "dim": 128}}]})");
}

TEST(Shapes, ManyRowsAreShort) {
  EXPECT_EQ(many_rows(samples::softmax(), "cpu", "values"),
            (std::vector<Bindings>{{{"rows", 320}, {"cols", 5}}}));
  EXPECT_EQ(many_rows(samples::softmax(), "cuda", "values").front().at("rows"), 4096);
  const std::vector<Bindings> shapes = many_rows(constrained(), "cuda", "values");
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes.front().at("dim"), 16);
  EXPECT_GE(shapes.front().at("heads"), 1000);
  OpSpec own = samples::softmax();
  own.ladder.shapes["values"] = {{{"rows", 3}, {"cols", 5}}};
  EXPECT_TRUE(many_rows(own, "cpu", "values").empty());
}

TEST(Shapes, ThinOnesHaveOneIndexOfAnAxis) {
  EXPECT_EQ(thin_shapes(samples::softmax()),
            (std::vector<Bindings>{{{"rows", 1}, {"cols", 33}}, {{"rows", 33}, {"cols", 1}}}));
  // As few as the constraints allow: 16 divides dim.
  const std::vector<Bindings> shapes = thin_shapes(constrained());
  EXPECT_THAT(values_of(shapes, "kv_heads"), Contains(1));
  EXPECT_THAT(values_of(shapes, "dim"), Contains(16));
}

TEST(Shapes, BroadOnesAreLongAlongEveryTwoAxes) {
  const std::vector<Bindings> shapes = broad_shapes(samples::softmax(), "cpu", 1);
  ASSERT_EQ(shapes.size(), 3U);
  std::set<bool> wider;
  for (const Bindings& shape : shapes) {
    EXPECT_GT(shape.at("rows"), 40);
    EXPECT_GT(shape.at("cols"), 40);
    EXPECT_NEAR(static_cast<double>(shape.at("rows") * shape.at("cols")), 1e5, 4e3);
    wider.insert(shape.at("cols") > shape.at("rows"));
  }
  EXPECT_EQ(wider.size(), 2U);
  EXPECT_NE(shapes, broad_shapes(samples::softmax(), "cpu", 2));
  const OpSpec attention = load_op_spec(KERNELLOOP_TEST_OPS "/attention/op.json");
  EXPECT_TRUE(std::ranges::any_of(broad_shapes(attention, "cpu", 1), [](const Bindings& shape) {
    return shape.at("queries") > 40 && shape.at("keys") > 40;
  }));
}

TEST(Shapes, DrawnLengthsLieInEveryRange) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<Bindings> shapes = drawn_lengths(samples::softmax(), "cpu", seed);
    ASSERT_EQ(shapes.size(), 2U);
    double from = 2.0;
    for (const Bindings& shape : shapes) {
      EXPECT_GE(static_cast<double>(shape.at("cols")), from);
      EXPECT_LE(static_cast<double>(shape.at("cols")), 30.0 * from);
      EXPECT_EQ(shape.at("rows"), 4);
      from *= 30.0;
    }
  }
  EXPECT_NE(drawn_lengths(samples::softmax(), "cpu", 1),
            drawn_lengths(samples::softmax(), "cpu", 2));
}

TEST(Shapes, LengthsStandOnEitherSideOfNumbers) {
  const OpSpec spec = samples::softmax();
  EXPECT_EQ(
      lengths_beside(spec, "cpu", {2100}),
      (std::vector{Bindings{{"rows", 2}, {"cols", 2099}}, Bindings{{"rows", 2}, {"cols", 2101}}}));
  EXPECT_EQ(lengths_beside(spec, "cpu", {3}),
            (std::vector{Bindings{{"rows", 4}, {"cols", 2}}, Bindings{{"rows", 4}, {"cols", 4}}}));
  // No longer than the device takes many times.
  EXPECT_TRUE(lengths_beside(spec, "cpu", {20000}).empty());
  EXPECT_FALSE(lengths_beside(spec, "cuda", {20000}).empty());
}

TEST(Shapes, RowsOfALengthAreNoShorter) {
  EXPECT_EQ(rows_of_length(samples::softmax(), 8, 5001), (Bindings{{"rows", 8}, {"cols", 5001}}));
  // A head has 256 elements at most.
  EXPECT_EQ(rows_of_length(load_op_spec(KERNELLOOP_TEST_OPS "/attention/op.json"), 8, 300),
            std::nullopt);
}

TEST(Shapes, ValuesHaveAnOddOneHoweverManyInnerAxesThereAre) {
  const OpSpec gemm = load_op_spec(KERNELLOOP_TEST_OPS "/gemm_fp32/op.json");
  EXPECT_TRUE(std::ranges::any_of(value_shapes(gemm, "cpu", "values"), [](const Bindings& shape) {
    return shape.at("k") % 2 == 1 && shape.at("n") % 2 == 1 && shape.at("k") > 32;
  }));
}

TEST(Shapes, TallOnesAreForTheCpuDevice) {
  EXPECT_EQ(tall_shapes(samples::softmax(), "cpu"),
            (std::vector<Bindings>{{{"rows", 4099}, {"cols", 2}}}));
  EXPECT_TRUE(tall_shapes(samples::softmax(), "cuda").empty());
}

TEST(Shapes, CoverOnesWarpsAndTiles) {
  for (const char* device : {"cpu", "cuda"}) {
    const std::vector<Bindings> shapes = edge_shapes(samples::softmax(), device, 1);
    EXPECT_THAT(shapes, Contains(Bindings{{"rows", 1}, {"cols", 1}}));
    const std::set<std::int64_t> cols = values_of(shapes, "cols");
    for (const std::int64_t size : {1, 31, 32, 33, 127, 128, 129, 255, 257, 1000, 1025, 4099}) {
      EXPECT_THAT(cols, Contains(size)) << device;
    }
    EXPECT_THAT(values_of(shapes, "rows"), Contains(67));
    EXPECT_EQ(std::set<Bindings>(shapes.begin(), shapes.end()).size(), shapes.size());
  }
}

TEST(Shapes, HoldTheSpecsOwn) {
  const OpSpec spec = samples::softmax();
  const std::vector<Bindings> shapes = edge_shapes(spec, "cpu", 1);
  for (const Bindings& own : spec.ladder.shapes.at("shapes")) {
    EXPECT_THAT(shapes, Contains(own));
  }
}

TEST(Shapes, AreBoundedOnTheCpuDevice) {
  const auto largest = [](const std::vector<Bindings>& shapes) {
    std::int64_t elements = 0;
    for (const Bindings& shape : shapes) {
      elements = std::max(elements, shape.at("rows") * shape.at("cols"));
    }
    return elements;
  };
  EXPECT_LE(largest(edge_shapes(samples::softmax(), "cpu", 1)), 1 << 17);
  EXPECT_GE(largest(edge_shapes(samples::softmax(), "cuda", 1)), 1 << 17);
  EXPECT_THAT(values_of(edge_shapes(samples::softmax(), "cuda", 1), "rows"),
              Contains(testing::Gt(65535)));
}

// A result for each row does not make the rows a contiguous axis.
TEST(Shapes, AVectorOfRowsDoesNotMakeManyRows) {
  const OpSpec reduction = samples::spec_from(R"({"name": "sums", "description": "Sums of rows",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
    "inputs": {"a": {"shape": ["rows", "cols"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["rows"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"rows": 32, "cols": 128}}]})");
  const std::vector<Bindings> shapes = edge_shapes(reduction, "cpu", 1);
  EXPECT_THAT(values_of(shapes, "rows"), testing::Not(Contains(testing::Gt(1000))));
  EXPECT_THAT(values_of(shapes, "cols"), Contains(33001));

  const OpSpec vectors = samples::spec_from(R"({"name": "copy", "description": "A copy",
    "axes": {"n": {"type": "var"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"n": 128}}]})");
  EXPECT_THAT(values_of(edge_shapes(vectors, "cpu", 1), "n"), Contains(33001));
}

TEST(Shapes, FriendlyOnesWithManyAxesStayAffordable) {
  const OpSpec cube = samples::spec_from(R"({"name": "cube", "description": "A copy",
    "axes": {"a": {"type": "var"}, "b": {"type": "var"}, "c": {"type": "var"}},
    "inputs": {"x": {"shape": ["a", "b", "c"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["a", "b", "c"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"a": 2, "b": 2, "c": 2}}]})");
  const auto elements = [&](const char* device) {
    const Bindings shape = friendly_shape(cube, device, 1000);
    return 2 * shape.at("a") * shape.at("b") * shape.at("c");
  };
  EXPECT_LE(elements("cuda"), 1 << 24);
  EXPECT_GE(elements("cuda"), 1 << 23);
  EXPECT_LE(elements("cpu"), 1 << 15);
  EXPECT_GE(elements("cpu"), 1 << 14);
  EXPECT_EQ(friendly_shape(samples::softmax(), "cuda", 1000),
            (Bindings{{"rows", 1000}, {"cols", 1000}}));
  EXPECT_EQ(friendly_shape(samples::softmax(), "cpu", 125),
            (Bindings{{"rows", 125}, {"cols", 125}}));
}

TEST(Shapes, StayWithinTheConstraints) {
  const OpSpec spec = constrained();
  const std::vector<Bindings> shapes = edge_shapes(spec, "cuda", 3);
  EXPECT_GE(shapes.size(), 10U);
  for (const Bindings& shape : shapes) EXPECT_TRUE(admissible(spec, shape));
  EXPECT_THAT(values_of(shapes, "dim"), Contains(16));
  EXPECT_GE(values_of(shapes, "heads").size(), 4U);
  EXPECT_EQ(friendly_shape(spec, "cuda", 64),
            (Bindings{{"heads", 64}, {"kv_heads", 64}, {"dim", 64}}));
}

TEST(Shapes, SomeAreFreshWithEverySeed) {
  std::set<std::vector<Bindings>> lists;
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    lists.insert(edge_shapes(samples::softmax(), "cpu", seed));
  }
  EXPECT_GE(lists.size(), 4U);
  EXPECT_EQ(edge_shapes(samples::softmax(), "cpu", 9), edge_shapes(samples::softmax(), "cpu", 9));
}

TEST(Shapes, AnOpWithoutVariableAxesHasOneShape) {
  const OpSpec spec = samples::spec_from(R"({"name": "fixed", "description": "Fixed",
    "axes": {"n": {"type": "const", "value": 12}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {}}]})");
  EXPECT_EQ(edge_shapes(spec, "cpu", 1), std::vector<Bindings>{Bindings{}});
}

TEST(Shapes, SomeAreLongAlongSeveralAxesAtOnce) {
  int both = 0;
  int beyond = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Bindings& shape : edge_shapes(samples::softmax(), "cuda", seed)) {
      both += shape.at("rows") > 50 && shape.at("cols") > 100 ? 1 : 0;
      beyond += shape.at("cols") > 5000 && shape.at("cols") < 100000 && shape.at("cols") % 2 == 1 &&
                        shape.at("rows") != 3
                    ? 1
                    : 0;
    }
  }
  EXPECT_GT(both, 10);
  EXPECT_GT(beyond, 5);
}

TEST(Shapes, SlicesOfWorkloadsAreAsLongAndSmall) {
  OpSpec spec = samples::softmax();
  spec.workloads = {spec.workloads.front(), spec.workloads.front(), spec.workloads.front()};
  spec.workloads[0].axes = {{"rows", 16384}, {"cols", 4096}};
  spec.workloads[1].axes = {{"rows", 8}, {"cols", 8}};
  spec.workloads[2].axes = {{"rows", 1}, {"cols", 1 << 26}};
  for (Workload& workload : spec.workloads) workload.devices.clear();
  const std::vector<Bindings> slices = workload_slices(spec, "cuda");
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0], (Bindings{{"rows", 8}, {"cols", 8}}));
  EXPECT_EQ(slices[1].at("cols") + slices[2].at("cols"), 4096 + (1 << 18));
  EXPECT_THAT(slices, Contains(Bindings{{"rows", 64}, {"cols", 4096}}));
}

TEST(Shapes, FillGapsBetweenTestedSizes) {
  for (const char* device : {"cpu", "cuda"}) {
    std::set<std::int64_t> drawn;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      std::vector<Bindings> shapes = edge_shapes(samples::softmax(), device, seed);
      const std::vector<Bindings> gaps = gap_shapes(samples::softmax(), device, shapes, seed);
      shapes.insert(shapes.end(), gaps.begin(), gaps.end());
      for (const char* axis : {"rows", "cols"}) {
        std::int64_t before = 64;
        for (const std::int64_t size : values_of(shapes, axis)) {
          if (size <= 64) continue;
          EXPECT_LE(static_cast<double>(size) / static_cast<double>(before), 1.8)
              << device << " " << axis << " " << size;
          before = size;
        }
      }
      for (const std::int64_t size : values_of(gaps, "cols")) drawn.insert(size);
    }
    EXPECT_GT(drawn.size(), 40U) << "the seed decides";
  }
}

// Vectors and tiles of 2 to 64 elements end in the midst of each other, in long rows too.
TEST(Shapes, GapsHaveSizesThatEachPowerOfTwoDividesLast) {
  const OpSpec spec = samples::softmax();
  for (const char* device : {"cpu", "cuda"}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      std::set<std::int64_t> powers;
      const std::vector<Bindings> tested = edge_shapes(spec, device, seed);
      for (const std::int64_t size : values_of(gap_shapes(spec, device, tested, seed), "cols")) {
        if (size > 256) powers.insert(size & -size);
      }
      EXPECT_THAT(powers, IsSupersetOf({1, 2, 4, 8, 16, 32, 64})) << device << " " << seed;
    }
  }
}

TEST(Shapes, LongOddOnesAreAsLongAsTheSpecHasThem) {
  std::set<std::int64_t> lengths;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<Bindings> shapes = long_odd_shapes(samples::softmax(), "cuda", 1, seed);
    ASSERT_EQ(shapes.size(), 1U);
    EXPECT_EQ(shapes[0].at("rows"), 1);
    EXPECT_EQ(shapes[0].at("cols") % 2, 1);
    EXPECT_GE(shapes[0].at("cols"), 65536 * 2 / 3);
    lengths.insert(shapes[0].at("cols"));
  }
  EXPECT_GE(lengths.size(), 6U);
  for (const Bindings& shape : long_odd_shapes(constrained(), "cpu", 11, 1)) {
    EXPECT_TRUE(admissible(constrained(), shape));
  }
}

TEST(Shapes, SlicesKeepToTheConstraints) {
  for (const Bindings& slice : workload_slices(constrained(), "cpu")) {
    EXPECT_TRUE(admissible(constrained(), slice));
  }
}

// Halving the longest axis first would break "keys >= queries".
TEST(Shapes, SlicesAreSmallAlsoWhereAxesHangTogether) {
  const OpSpec spec = load_op_spec(KERNELLOOP_TEST_OPS "/attention_causal/op.json");
  const std::vector<Bindings> slices = workload_slices(spec, "cuda");
  ASSERT_GE(slices.size(), 3U);
  for (const Bindings& slice : slices) {
    EXPECT_TRUE(admissible(spec, slice));
    std::int64_t elements = 0;
    for (const Tensor& input : spec.inputs) elements += element_count(input, slice);
    EXPECT_LE(elements, std::int64_t{1} << 19) << slice.at("keys");
  }
}

}  // namespace
}  // namespace kernelloop
