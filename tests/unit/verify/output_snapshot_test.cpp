#include "verify/output_snapshot.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace kernelloop {
namespace {

OpSpec two_outputs() {
  OpSpec spec;
  spec.axes.push_back({"rows", Axis::Kind::variable, 0, {}, ""});
  spec.outputs.push_back({"y", false, {"rows", "3"}, DType::float32, {}, ""});
  spec.outputs.push_back({"index", false, {"rows"}, DType::int32, {}, ""});
  return spec;
}

class Snapshot : public testing::Test {
 protected:
  template <typename T>
  void set(const std::string& tensor, std::size_t element, T value) {
    std::memcpy(arena_.bytes(tensor).data() + element * sizeof value, &value, sizeof value);
  }

  static constexpr std::int64_t k_rows = 40000;  // more than one piece of work
  OpSpec spec_ = two_outputs();
  Bindings axes_{{"rows", k_rows}};
  TensorArena arena_{{{"y", k_rows * 3 * 4, true}, {"index", k_rows * 4, true}}};
};

TEST_F(Snapshot, AgreesWithItself) {
  set("y", 7, 0.5F);
  EXPECT_FALSE(OutputSnapshot(spec_, axes_, arena_).first_difference(arena_));
}

TEST_F(Snapshot, NamesTheFirstElementThatChanged) {
  set("y", 3 * 30000 + 2, 0.5F);
  const OutputSnapshot before(spec_, axes_, arena_);
  set("y", 3 * 39999, 1.0F);
  set("y", 3 * 30000 + 2, 0.25F);
  set("index", 0, 9);
  const auto difference = before.first_difference(arena_);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->output, "y");
  EXPECT_EQ(difference->index, "[30000, 2]");
  EXPECT_EQ(difference->before, 0.5);
  EXPECT_EQ(difference->now, 0.25);
}

TEST_F(Snapshot, SeesADifferenceThatArithmeticDoesNot) {
  const OutputSnapshot before(spec_, axes_, arena_);
  set("y", 1, -0.0F);
  const auto difference = before.first_difference(arena_);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->index, "[0, 1]");
}

TEST_F(Snapshot, ComparesEveryOutput) {
  const OutputSnapshot before(spec_, axes_, arena_);
  set("index", 5, 9);
  const auto difference = before.first_difference(arena_);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->output, "index");
  EXPECT_EQ(difference->index, "[5]");
  EXPECT_EQ(difference->now, 9.0);
}

}  // namespace
}  // namespace kernelloop
