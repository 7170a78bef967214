#include "verify/case_data.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kernelloop {
namespace {

class Cases : public testing::Test {
 protected:
  Cases() {
    for (const std::int64_t cols : {64, 1000, 3}) {
      CasePlan plan;
      plan.variables = {{"rows", 4}, {"cols", cols}};
      plan.seed = static_cast<std::uint64_t>(cols);
      plans_.push_back(plan);
    }
  }

  CaseQueue queue(bool ahead) { return {spec_, reference_, {plans_}, ahead}; }

  OpSpec spec_ = load_op_spec(KERNELLOOP_TEST_OPS "/softmax/op.json");
  ReferenceLibrary reference_{KERNELLOOP_TEST_SOFTMAX, std::chrono::milliseconds(60000)};
  std::vector<CasePlan> plans_;
};

TEST_F(Cases, MadeAheadAreThoseMadeInTurn) {
  CaseQueue in_turn = queue(false);
  CaseQueue ahead = queue(true);
  for (const CasePlan& plan : plans_) {
    const auto one = in_turn.take();
    const auto other = ahead.take();
    EXPECT_EQ(one->axes().at("cols"), plan.variables.at("cols"));
    EXPECT_TRUE(std::ranges::equal(one->arena().bytes("x"), other->arena().bytes("x")));
    EXPECT_TRUE(std::ranges::equal(one->expected(reference_).at("y").values,
                                   other->expected(reference_).at("y").values));
  }
}

TEST_F(Cases, ComeWithTheErrorOfTheirMaking) {
  plans_[1].variables["cols"] = 0;
  for (const bool made_ahead : {false, true}) {
    CaseQueue cases = queue(made_ahead);
    EXPECT_NO_THROW(cases.take());
    EXPECT_THROW(cases.take(), Error);
  }
}

TEST_F(Cases, UseTheMemoryOfThoseThatAreDone) {
  for (const bool made_ahead : {false, true}) {
    CaseQueue cases = queue(made_ahead);
    std::unique_ptr<CaseData> data;
    std::vector<std::vector<std::byte>> seen;
    for (const CasePlan& plan : plans_) {
      data = cases.take(std::move(data));
      const auto bytes = data->arena().bytes("x");
      EXPECT_EQ(bytes.size(), static_cast<std::size_t>(8 * plan.variables.at("cols")));
      seen.emplace_back(bytes.begin(), bytes.end());
    }
    CaseQueue fresh = queue(false);
    for (const auto& bytes : seen) {
      EXPECT_TRUE(std::ranges::equal(bytes, fresh.take()->arena().bytes("x")));
    }
  }
}

TEST_F(Cases, MayBeLeftUntaken) {
  CaseQueue cases = queue(true);
  EXPECT_NE(cases.take(), nullptr);
}

}  // namespace
}  // namespace kernelloop
