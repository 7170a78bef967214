#include "device/sampling.hpp"

#include "support/error.hpp"
#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace kernelloop {
namespace {

// One sample in so many is followed by a look at its outputs, besides the last ones.
constexpr unsigned k_recheck_every = 8;
// So many samples share an answer about throttling.
constexpr std::size_t k_throttle_every = 8;

struct StateName {
  CacheState state;
  const char* name;
};
constexpr std::array<StateName, 3> k_state_names{
    {{CacheState::cold, "cold"}, {CacheState::hot, "hot"}, {CacheState::rotating, "rotating"}}};

bool narrow(const std::vector<double>& values, double half_width, bool relative) {
  const Interval interval = median_interval(values);
  const double scale = relative ? median(values) : 1.0;
  return (interval.high - interval.low) / 2 <= half_width * scale;
}

}  // namespace

const char* name_of(CacheState state) {
  for (const StateName& entry : k_state_names) {
    if (entry.state == state) return entry.name;
  }
  return "cold";
}

CacheState cache_state_named(const std::string& name) {
  for (const StateName& entry : k_state_names) {
    if (entry.name == name) return entry.state;
  }
  fail(ExitCode::internal, "there is no cache state '{}'", name);
}

Sampling::Sampling(const SamplingPlan& plan, Clock::time_point begin)
    : plan_(plan), begin_(begin), random_(plan.seed), samples_(plan.variants) {}

std::size_t Sampling::next_slot() {
  if (slots_.empty()) {
    slots_.resize(plan_.slots);
    std::iota(slots_.begin(), slots_.end(), std::size_t{0});
    std::shuffle(slots_.begin(), slots_.end(), random_);
  }
  const std::size_t slot = slots_.back();
  slots_.pop_back();
  return slot;
}

bool Sampling::settled() const {
  if (plan_.variants == 1) {
    std::vector<double> calm;
    for (const TimeSample& sample : samples_[0]) {
      if (!sample.throttled) calm.push_back(sample.us);
    }
    return !calm.empty() && narrow(calm, plan_.stop.precision, true);
  }
  for (std::size_t variant = 1; variant < plan_.variants; ++variant) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i + 1 < samples_[0].size(); i += 2) {
      const auto of_block = [i](const std::vector<TimeSample>& samples) {
        return (std::log(samples[i].us) + std::log(samples[i + 1].us)) / 2;
      };
      ratios.push_back(of_block(samples_[variant]) - of_block(samples_[0]));
    }
    if (ratios.empty() || !narrow(ratios, plan_.stop.precision, false)) return false;
  }
  return true;
}

bool Sampling::enough(Clock::time_point now) const {
  const auto taken = static_cast<int>(samples_.front().size());
  if (taken >= plan_.stop.max_samples) return true;
  if (taken >= k_fewest_samples && now - begin_ >= plan_.patience) return true;
  if (taken < plan_.stop.min_samples) return false;
  return spent_us_ >= static_cast<double>(plan_.stop.budget.count()) * 1e3 || settled();
}

std::vector<SampleOrder> Sampling::next_block(Clock::time_point now) {
  if (enough(now)) return {};
  const std::size_t slot = next_slot();
  std::vector<std::size_t> order(plan_.variants);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (plan_.variants > 1) {
    std::shuffle(order.begin(), order.end(), random_);
    order.insert(order.end(), order.rbegin(), order.rend());
  }
  std::vector<SampleOrder> block;
  for (const std::size_t variant : order) {
    block.push_back({variant, slot, random_() % k_recheck_every == 0});
  }
  return block;
}

void Sampling::add(const SampleOrder& order, const TimeSample& sample) {
  recent_.emplace_back(order.variant, samples_[order.variant].size());
  samples_[order.variant].push_back(sample);
  spent_us_ += sample.us * plan_.launches;
}

void Sampling::judge_recent(bool throttled) {
  for (const auto& [variant, number] : recent_) samples_[variant][number].throttled = throttled;
  recent_.clear();
}

Sampled take_samples(const SamplingPlan& plan, std::size_t sets, const SamplingActions& actions) {
  Sampled sampled;
  TimeResult& result = sampled.result;
  sampled.last_slots.resize(sets);
  std::vector<std::size_t> last_variants(sets);
  RecheckLog log;
  Sampling sampling(plan);
  const auto next_block = [&] {
    auto block = sampling.next_block();
    const bool asked =
        actions.throttled && (block.empty() || sampling.recent() >= k_throttle_every);
    if (!asked || sampling.recent() == 0) return block;
    sampling.judge_recent(actions.throttled());
    // What seemed enough may not be.
    return block.empty() ? sampling.next_block() : block;
  };
  for (auto block = next_block(); !block.empty(); block = next_block()) {
    for (const SampleOrder& order : block) {
      TimeSample sample;
      sample.set = actions.set_of(order.slot);
      const auto set = static_cast<std::size_t>(sample.set);
      result.fault = actions.take(order, sample);
      if (result.fault) {
        result.faulty_variant = static_cast<int>(order.variant);
        result.samples = std::move(sampling).take_samples();
        return sampled;
      }
      sampling.add(order, sample);
      sampled.last_slots[set] = order.slot;
      last_variants[set] = order.variant;
      if (order.recheck) log.add(order.variant, sample.set, actions.hash_outputs(order.slot));
    }
  }
  for (std::size_t set = 0; set < sets; ++set) {
    if (const auto slot = sampled.last_slots[set]) {
      log.add(last_variants[set], static_cast<int>(set), actions.hash_outputs(*slot));
    }
  }
  result.samples = std::move(sampling).take_samples();
  result.rechecks = log.result();
  return sampled;
}

std::vector<double> block_means(const std::vector<TimeSample>& samples, std::size_t per_block) {
  std::vector<double> means;
  for (std::size_t begin = 0; begin + per_block <= samples.size(); begin += per_block) {
    double sum = 0;
    for (std::size_t i = begin; i < begin + per_block; ++i) sum += std::log(samples[i].us);
    means.push_back(sum / static_cast<double>(per_block));
  }
  return means;
}

void RecheckLog::add(std::size_t variant, int set, std::uint64_t hash) {
  entries_.push_back({variant, set, hash});
}

TimeResult::Rechecks RecheckLog::result() const {
  std::map<std::pair<std::size_t, int>, std::uint64_t> last;
  for (const Entry& entry : entries_) last[{entry.variant, entry.set}] = entry.hash;
  TimeResult::Rechecks result;
  for (const Entry& entry : entries_) {
    ++result.count;
    result.differing += entry.hash != last.at({entry.variant, entry.set}) ? 1 : 0;
  }
  return result;
}

}  // namespace kernelloop
