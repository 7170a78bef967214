#include "verify/case_queue.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

namespace kernelloop {
namespace {

class CaseQueues : public testing::Test {
 protected:
  CaseQueues() {
    for (const std::int64_t cols : {64, 1000, 3}) {
      CasePlan plan;
      plan.variables = {{"rows", 4}, {"cols", cols}};
      plan.seed = static_cast<std::uint64_t>(cols);
      plans_.push_back(plan);
    }
  }

  CaseQueue queue(bool ahead, std::size_t waiting_bytes = 1 << 20,
                  std::size_t waiting_cases = 100) {
    return {spec_, reference_, plans_, ahead, {3, waiting_bytes, waiting_cases}};
  }

  OpSpec spec_ = load_op_spec(KERNELLOOP_TEST_OPS "/softmax/op.json");
  ReferenceLibrary reference_{KERNELLOOP_TEST_SOFTMAX, std::chrono::milliseconds(60000)};
  std::vector<CasePlan> plans_;
};

TEST_F(CaseQueues, MadeAheadAreThoseMadeInTurn) {
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

TEST_F(CaseQueues, ComeWithTheErrorOfTheirMaking) {
  plans_[1].variables["cols"] = 0;
  for (const bool made_ahead : {false, true}) {
    CaseQueue cases = queue(made_ahead);
    EXPECT_NO_THROW(cases.take());
    EXPECT_THROW(cases.take(), Error);
  }
}

TEST_F(CaseQueues, NothingComesAfterAnError) {
  plans_[0].variables["cols"] = 0;
  for (std::int64_t rows = 1; rows < 20; ++rows) {
    plans_.push_back(plans_[1]);
    plans_.back().variables["rows"] = rows;
  }
  CaseQueue cases = queue(true);
  EXPECT_THROW(cases.take(), Error);
  // Those that were begun beside it may come.
  const auto take_all = [&] {
    for (std::size_t i = 1; i < plans_.size(); ++i) cases.take();
  };
  EXPECT_THROW(take_all(), Error);
}

TEST_F(CaseQueues, ComeInTheirOrderHoweverManyThereAre) {
  for (std::int64_t rows = 1; rows < 60; ++rows) {
    CasePlan plan = plans_[0];
    plan.variables["rows"] = rows;
    plans_.push_back(plan);
  }
  CaseQueue cases = queue(true);
  std::unique_ptr<CaseData> data;
  for (const CasePlan& plan : plans_) {
    data = cases.take(std::move(data));
    EXPECT_EQ(data->axes().at("rows"), plan.variables.at("rows"));
    EXPECT_EQ(data->axes().at("cols"), plan.variables.at("cols"));
  }
}

TEST_F(CaseQueues, CasesLargerThanWhatMayWaitAreMadeOneByOne) {
  CaseQueue cases = queue(true, 1);
  std::unique_ptr<CaseData> data;
  for (const CasePlan& plan : plans_) {
    data = cases.take(std::move(data));
    EXPECT_EQ(data->axes().at("cols"), plan.variables.at("cols"));
  }
}

TEST_F(CaseQueues, OfSmallCasesThatWaitThereAreNoMoreThanFilesMayBeOpen) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto before = open_files();
  plans_.resize(100, plans_[0]);
  CaseQueue cases = queue(true, 1 << 20, 2);
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    EXPECT_NE(cases.take(), nullptr);
    // Two files for each that waits or is under way, and the pipes of the three makers' calls.
    EXPECT_LT(open_files() - before, 40);
  }
}

TEST_F(CaseQueues, UseTheMemoryOfThoseThatAreDone) {
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

TEST_F(CaseQueues, MayBeLeftUntaken) {
  CaseQueue cases = queue(true);
  EXPECT_NE(cases.take(), nullptr);
}

TEST_F(CaseQueues, LimitsFollowTheMachine) {
  const CaseQueue::Limits limits = CaseQueue::Limits::of_machine();
  EXPECT_GE(limits.makers, 2u);
  EXPECT_LE(limits.makers, 8u);
  EXPECT_GE(limits.waiting_bytes, std::size_t{256} << 20);
  EXPECT_LE(limits.waiting_bytes, std::size_t{512} << 20);
}

}  // namespace
}  // namespace kernelloop
