#include "device/sampling.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;

SamplingPlan plan_for(std::size_t variants, std::size_t slots, StoppingRule stop) {
  SamplingPlan plan;
  plan.variants = variants;
  plan.slots = slots;
  plan.stop = stop;
  plan.seed = 5;
  return plan;
}

// Runs a sampling to its end with times that `time` makes up; returns how many each variant got.
template <typename Time>
std::vector<std::size_t> samples_taken(const SamplingPlan& plan, const Time& time) {
  Sampling sampling(plan);
  std::vector<std::size_t> taken(plan.variants);
  for (auto block = sampling.next_block(); !block.empty(); block = sampling.next_block()) {
    for (const SampleOrder& order : block) {
      sampling.add(order, time(order));
      ++taken[order.variant];
    }
  }
  return taken;
}

TEST(Sampling, StopsAsSoonAsTheMedianIsKnown) {
  const StoppingRule stop{20, 200, 0.0025, std::chrono::hours(1)};
  std::mt19937_64 random(3);
  std::normal_distribution<double> quiet(100, 0.1);
  std::normal_distribution<double> noisy(100, 10);
  EXPECT_EQ(samples_taken(plan_for(1, 1, stop),
                          [&](const SampleOrder&) { return TimeSample{quiet(random)}; }),
            std::vector<std::size_t>{20});
  EXPECT_EQ(samples_taken(plan_for(1, 1, stop),
                          [&](const SampleOrder&) { return TimeSample{noisy(random)}; }),
            std::vector<std::size_t>{200});
}

TEST(Sampling, StopsWhenItsBudgetIsSpent) {
  // 30 samples of 10 launches of 1 ms.
  SamplingPlan plan = plan_for(1, 1, {20, 200, 0, milliseconds(300)});
  plan.launches = 10;
  double us = 1000;
  EXPECT_EQ(samples_taken(plan, [&](const SampleOrder&) { return TimeSample{us += 0.001}; }),
            std::vector<std::size_t>{30});
}

TEST(Sampling, ThrottledSamplesSettleNothing) {
  const StoppingRule stop{20, 200, 0.0025, std::chrono::hours(1)};
  EXPECT_EQ(samples_taken(plan_for(1, 1, stop),
                          [](const SampleOrder&) {
                            TimeSample sample{100};
                            sample.throttled = true;
                            return sample;
                          }),
            std::vector<std::size_t>{200});
}

// Samples of one kernel of 100 us on a device that answers so about throttling.
TimeResult sampled_while(const StoppingRule& stop, std::function<bool()> throttled) {
  SamplingActions actions;
  actions.take = [](const SampleOrder&, TimeSample& sample) {
    sample.us = 100;
    return Fault{};
  };
  actions.hash_outputs = [](std::size_t) { return std::uint64_t{1}; };
  actions.set_of = [](std::size_t) { return 0; };
  actions.throttled = std::move(throttled);
  return take_samples(plan_for(1, 1, stop), 1, actions).result;
}

TEST(Sampling, AllSamplesSinceTheLastAnswerAreSetAside) {
  int answers = 0;
  const TimeResult result =
      sampled_while({40, 40, 0, std::chrono::hours(1)}, [&] { return ++answers == 2; });
  ASSERT_EQ(result.samples.at(0).size(), 40u);
  EXPECT_EQ(answers, 5);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(result.samples[0][i].throttled, i >= 8 && i < 16) << i;
  }
}

TEST(Sampling, WhatSeemsEnoughIsNotWhenItWasThrottled) {
  // Settled after the first 5, all of which turn out to be throttled, and so are those up to 16.
  int answers = 0;
  const TimeResult result =
      sampled_while({5, 200, 0.0025, std::chrono::hours(1)}, [&] { return ++answers <= 2; });
  ASSERT_GT(result.samples.at(0).size(), 5u);
  EXPECT_TRUE(result.samples[0][4].throttled);
  EXPECT_FALSE(result.samples[0].back().throttled);
  EXPECT_LT(result.samples[0].size(), 40u);
}

TEST(Sampling, ImpatienceLeavesAFewSamples) {
  SamplingPlan plan = plan_for(1, 1, {100, 200, 0, milliseconds(1000)});
  plan.patience = milliseconds(5000);
  const Sampling::Clock::time_point begin;
  Sampling sampling(plan, begin);
  int taken = 0;
  for (auto now = begin;; now += std::chrono::seconds(4)) {
    const auto block = sampling.next_block(now);
    if (block.empty()) break;
    sampling.add(block[0], TimeSample{4e6});
    ++taken;
    if (taken == 1) plan.patience = milliseconds(0);
  }
  EXPECT_EQ(taken, Sampling::k_fewest_samples);
}

TEST(Sampling, EveryBlockIsOneOrderAndItsReverseOnOneSlot) {
  Sampling sampling(plan_for(3, 5, {40, 40, 0, std::chrono::hours(1)}));
  std::set<std::vector<std::size_t>> orders;
  std::map<std::size_t, int> slots;
  std::size_t samples = 0;
  for (auto block = sampling.next_block(); !block.empty(); block = sampling.next_block()) {
    ASSERT_EQ(block.size(), 6u);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < block.size(); ++i) {
      EXPECT_EQ(block[i].slot, block[0].slot);
      EXPECT_EQ(block[i].variant, block[5 - i].variant);
      order.push_back(block[i].variant);
      sampling.add(block[i], TimeSample{10});
      ++samples;
    }
    EXPECT_THAT(std::vector<std::size_t>(order.begin(), order.begin() + 3),
                testing::UnorderedElementsAre(0, 1, 2));
    orders.insert(order);
    ++slots[block[0].slot];
  }
  EXPECT_EQ(samples, 3 * 40u);
  EXPECT_GT(orders.size(), 3u);
  // All slots come before any comes again.
  EXPECT_EQ(slots.size(), 5u);
  for (const auto& [slot, blocks] : slots) EXPECT_EQ(blocks, 4) << slot;
}

TEST(Sampling, OfSeveralVariantsTheRatiosMustSettle) {
  const StoppingRule stop{40, 400, 0.002, std::chrono::hours(1)};
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(1, 0.001);
  double drift = 1;
  // The clock sags by a half, but in pairs nobody notices.
  const auto taken = samples_taken(plan_for(2, 1, stop), [&](const SampleOrder& order) {
    drift *= 1.003;
    return TimeSample{(order.variant == 0 ? 100 : 101) * drift * noise(random)};
  });
  EXPECT_LT(taken[0], 100u);
  EXPECT_EQ(taken[0], taken[1]);
}

TEST(BlockMeans, AreMeansOfLogarithms) {
  const std::vector<TimeSample> samples{{1}, {4}, {9}, {9}, {5}};
  const std::vector<double> means = block_means(samples, 2);
  ASSERT_EQ(means.size(), 2u);
  EXPECT_DOUBLE_EQ(std::exp(means[0]), 2);
  EXPECT_DOUBLE_EQ(std::exp(means[1]), 9);
}

TEST(RecheckLog, ComparesWithTheLastOfTheSameVariantAndSet) {
  RecheckLog log;
  log.add(0, 0, 11);
  log.add(0, 1, 22);
  log.add(1, 0, 33);
  log.add(0, 0, 12);
  log.add(0, 1, 22);
  const TimeResult::Rechecks result = log.result();
  EXPECT_EQ(result.count, 5);
  EXPECT_EQ(result.differing, 1);
}

TEST(TakeSamples, EndsAtTheFirstFaultAndNamesItsVariant) {
  int taken = 0;
  const Sampled sampled = take_samples(
      plan_for(2, 1, {40, 40, 0, std::chrono::hours(1)}), 1,
      {[&](const SampleOrder& order, TimeSample& sample) -> Fault {
         sample.us = 1;
         return ++taken == 7 && order.variant < 2 ? Fault{FaultKind::trap, "trap"} : Fault{};
       },
       [](std::size_t) { return std::uint64_t{0}; }, [](std::size_t) { return 0; }});
  EXPECT_EQ(taken, 7);
  EXPECT_EQ(sampled.result.fault.kind, FaultKind::trap);
  EXPECT_GE(sampled.result.faulty_variant, 0);
}

TEST(TakeSamples, LooksAtTheOutputsOfSomeSamplesAndOfTheLastOnEverySet) {
  const Sampled sampled =
      take_samples(plan_for(1, 6, {48, 48, 0, std::chrono::hours(1)}), 3,
                   {[](const SampleOrder&, TimeSample& sample) -> Fault {
                      sample.us = 1;
                      return {};
                    },
                    [](std::size_t slot) { return std::uint64_t{slot % 3}; },
                    [](std::size_t slot) { return static_cast<int>(slot % 3); }});
  EXPECT_GT(sampled.result.rechecks.count, 3);
  EXPECT_LT(sampled.result.rechecks.count, 24);
  EXPECT_EQ(sampled.result.rechecks.differing, 0);
  for (std::size_t set = 0; set < 3; ++set) {
    ASSERT_TRUE(sampled.last_slots[set]);
    EXPECT_EQ(*sampled.last_slots[set] % 3, set);
  }
}

TEST(CacheState, HasANameBothWays) {
  for (const CacheState state : {CacheState::cold, CacheState::hot, CacheState::rotating}) {
    EXPECT_EQ(cache_state_named(name_of(state)), state);
  }
}

}  // namespace
}  // namespace kernelloop
