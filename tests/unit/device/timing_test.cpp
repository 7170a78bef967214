// Timing on the CPU device: what is counted and what comes back. No time is asserted.
#include "device/worker_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"

#include <set>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;
using test::element;
using test::make_tensors;
using test::plan_for;
using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;
using ::testing::HasSubstr;

constexpr int k_timed_elements = 100;

class CpuTiming : public ::testing::Test {
 protected:
  CpuTiming() : worker_(WorkerOptions{"cpu", KERNELLOOP_DEVICE_PROGRAM}) {
    worker_.load({DEVICE_FIXTURE, {"twice"}});
    request_.sets = {&arena_};
    request_.stop = {5, 12, 0, milliseconds(0)};
  }

  TimeResult time(const std::vector<std::string>& kernels) {
    for (const std::string& kernel : kernels) {
      request_.variants.push_back({0, plan_for(kernel, k_timed_elements)});
    }
    return worker_.time(request_);
  }

  TensorArena arena_ = make_tensors(k_timed_elements);
  Worker worker_;
  TimeRequest request_;
};

TEST_F(CpuTiming, TakesTheLeastNumberOfSamplesWithoutABudget) {
  const TimeResult result = time({"twice"});
  ASSERT_FALSE(result.fault) << result.fault.message;
  ASSERT_EQ(result.samples.size(), 1u);
  EXPECT_EQ(result.samples[0].size(), 5u);
  EXPECT_THAT(result.samples[0], Each(Field(&TimeSample::us, Gt(0.0))));
  EXPECT_THAT(result.samples[0], Each(Field(&TimeSample::clock_mhz, 0.0)));
}

TEST_F(CpuTiming, ABudgetThatIsNotSpentGivesAllSamplesOfEveryVariant) {
  request_.stop.budget = std::chrono::hours(1);
  const TimeResult result = time({"twice", "nothing"});
  ASSERT_FALSE(result.fault) << result.fault.message;
  ASSERT_EQ(result.samples.size(), 2u);
  EXPECT_EQ(result.samples[0].size(), 12u);
  EXPECT_EQ(result.samples[1].size(), 12u);
}

TEST_F(CpuTiming, SlowKernelsGetFewerSamplesInsteadOfAKill) {
  request_.stop.min_samples = 100000;
  request_.stop.max_samples = 100000;
  request_.timeout = milliseconds(2000);
  const TimeResult result = time({"slow"});
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_GE(result.samples[0].size(), 3u);
  EXPECT_LT(result.samples[0].size(), 100000u);
}

TEST_F(CpuTiming, TheLastOutputsOfEverySetComeBack) {
  TensorArena other = make_tensors(k_timed_elements);
  for (std::byte& value : other.bytes("y")) value = std::byte{0};
  request_.sets.push_back(&other);
  const TimeResult result = time({"twice"});
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(element(arena_, "y", 3), 7.0f);
  EXPECT_EQ(element(other, "y", 3), 7.0f);
  EXPECT_GE(result.rechecks.count, 2);
  EXPECT_EQ(result.rechecks.differing, 0);
  std::set<int> sets;
  for (const TimeSample& sample : result.samples[0]) sets.insert(sample.set);
  EXPECT_EQ(sets.size(), 2u);
}

TEST_F(CpuTiming, OutputsOfTheDigestThatIsKnownStayWhereTheyAre) {
  RunRequest run;
  run.arena = &arena_;
  run.plan = plan_for("twice", k_timed_elements);
  run.outputs = false;
  run.digest_seed = request_.digest_seed = 5;
  const std::uint64_t digest = worker_.run(run).digest.value();
  EXPECT_NE(element(arena_, "y", 3), 7.0f);
  TensorArena other = make_tensors(k_timed_elements);
  request_.sets.push_back(&other);
  request_.digests = {digest, digest + 1};
  const TimeResult result = time({"twice"});
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_THAT(result.unlike, testing::ElementsAre(1));
  EXPECT_NE(element(arena_, "y", 3), 7.0f);
  EXPECT_EQ(element(other, "y", 3), 7.0f);
}

TEST_F(CpuTiming, AnOutputThatOnlyAnEarlierLaunchWroteIsPoison) {
  const TimeResult result = time({"nothing"});
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_NE(element(arena_, "y", 3), 7.0f);
}

TEST_F(CpuTiming, AFaultNamesItsVariant) {
  const TimeResult result = time({"twice", "trap"});
  EXPECT_EQ(result.fault.kind, FaultKind::trap);
  EXPECT_EQ(result.faulty_variant, 1);
}

TEST_F(CpuTiming, AMissingKernelNamesItsVariant) {
  const TimeResult result = time({"twice", "missing"});
  EXPECT_EQ(result.fault.kind, FaultKind::launch_refused);
  EXPECT_EQ(result.faulty_variant, 1);
}

TEST_F(CpuTiming, AModuleThatDoesNotLoadNamesItsVariant) {
  const int missing = worker_.load({"/nowhere/kernel.cpu.so", {}});
  request_.variants = {{0, plan_for("twice", k_timed_elements)}, {missing, plan_for("twice", 1)}};
  const TimeResult result = worker_.time(request_);
  EXPECT_EQ(result.fault.kind, FaultKind::load_failed);
  EXPECT_EQ(result.faulty_variant, 1);
}

TEST_F(CpuTiming, ADeadWorkerHasNoVariantUnlessThereIsOnlyOne) {
  const TimeResult two = time({"twice", "exits"});
  EXPECT_EQ(two.fault.kind, FaultKind::crash);
  EXPECT_EQ(two.faulty_variant, -1);
  request_.variants.clear();
  const TimeResult one = time({"exits"});
  EXPECT_EQ(one.fault.kind, FaultKind::crash);
  EXPECT_EQ(one.faulty_variant, 0);
}

TEST_F(CpuTiming, SamplesBesideAnothersProcessAreMarkedAndTakenAgain) {
  int looks = 0;
  WorkerOptions options{"cpu", KERNELLOOP_DEVICE_PROGRAM};
  options.look_for_others = [&] { return std::vector<unsigned>(looks++ == 0 ? 1 : 0, 4711u); };
  Worker worker(options);
  request_.variants = {{worker.load({DEVICE_FIXTURE, {"twice"}}), plan_for("twice", 100)}};
  const TimeResult result = worker.time(request_);
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(looks, 3);  // one before the first set, two around the second
  ASSERT_EQ(result.samples[0].size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(result.samples[0][i].foreign, i < 5) << i;
}

TEST_F(CpuTiming, AnEndlessKernelIsKilled) {
  request_.timeout = milliseconds(300);
  const TimeResult result = time({"endless"});
  EXPECT_EQ(result.fault.kind, FaultKind::timeout);
}

TEST_F(CpuTiming, AChangedInputIsAFault) {
  const TimeResult result = time({"changes_input"});
  EXPECT_EQ(result.fault.kind, FaultKind::changed_input);
  EXPECT_THAT(result.fault.message, HasSubstr("writes to input 'x'"));
}

}  // namespace
}  // namespace kernelloop
