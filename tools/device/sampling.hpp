// The order in which samples are taken, and when there are enough: the same for every device.
#pragma once

#include "device/timing.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace kernelloop {

// One sample to take.
struct SampleOrder {
  std::size_t variant = 0;
  std::size_t slot = 0;  // which tensors: a set at an address
  bool recheck = false;  // hash the outputs afterwards
};

struct SamplingPlan {
  std::size_t variants = 1;
  std::size_t slots = 1;  // at least one
  int launches = 1;       // per sample
  StoppingRule stop;
  std::uint64_t seed = 0;
  // Wall time after which a few samples are enough, however slow the kernel.
  std::chrono::milliseconds patience{60000};
};

// Blocks of samples. Each block is on one slot; the slots come in a random order, again and again.
// With one variant a block is one sample; with more, all of them in a random order and then in the
// reverse: A B B A.
class Sampling {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Sampling(const SamplingPlan& plan, Clock::time_point begin = Clock::now());

  // The samples of the next block; empty when there are enough.
  std::vector<SampleOrder> next_block(Clock::time_point now = Clock::now());
  // What a sample of the block brought, in its order.
  void add(const SampleOrder& order, const TimeSample& sample);
  // How many samples have been added since the last answer of the device about throttling, and that
  // answer: nobody knows which of them it slowed, so that all are set aside.
  [[nodiscard]] std::size_t recent() const noexcept { return recent_.size(); }
  void judge_recent(bool throttled);

  // By variant, in order.
  [[nodiscard]] std::vector<std::vector<TimeSample>> take_samples() && {
    return std::move(samples_);
  }

  static constexpr int k_fewest_samples = 3;  // per variant, also beyond all patience

 private:
  [[nodiscard]] bool enough(Clock::time_point now) const;
  [[nodiscard]] bool settled() const;
  std::size_t next_slot();

  SamplingPlan plan_;
  Clock::time_point begin_;
  std::mt19937_64 random_;
  std::vector<std::size_t> slots_;                           // those still to come in this turn
  std::vector<std::vector<TimeSample>> samples_;             // per variant, in order
  std::vector<std::pair<std::size_t, std::size_t>> recent_;  // variant and number
  double spent_us_ = 0;
};

// What a device does for a sampling.
struct SamplingActions {
  // Takes one sample: its time and clock.
  std::function<Fault(const SampleOrder& order, TimeSample& sample)> take;
  // Of the outputs that the last sample on the slot left: equal only for equal bits.
  std::function<std::uint64_t(std::size_t slot)> hash_outputs;
  // Whose tensors are at the slot, from 0.
  std::function<int(std::size_t slot)> set_of;
  // Whether the device was throttled since the last call, or since the start. Asked after some
  // samples, since the answer may take longer than a sample. None: it never is.
  std::function<bool()> throttled{};
};

struct Sampled {
  TimeResult result;  // samples, re-checks, fault
  // Per set the slot of its last sample; empty where there was none.
  std::vector<std::optional<std::size_t>> last_slots;
};

// Takes samples until there are enough or one brings a fault.
Sampled take_samples(const SamplingPlan& plan, std::size_t sets, const SamplingActions& actions);

// Of samples taken in blocks: per block and variant the mean of the logarithms of its times.
// `per_block` samples of each variant make a block.
std::vector<double> block_means(const std::vector<TimeSample>& samples, std::size_t per_block);

// Counts hashes of outputs that differ from the last of their variant and set.
class RecheckLog {
 public:
  void add(std::size_t variant, int set, std::uint64_t hash);
  [[nodiscard]] TimeResult::Rechecks result() const;

 private:
  struct Entry {
    std::size_t variant;
    int set;
    std::uint64_t hash;
  };
  std::vector<Entry> entries_;
};

}  // namespace kernelloop
