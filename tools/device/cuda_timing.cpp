#include "device/cuda_timing.hpp"

#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace kernelloop {
namespace {

// A sample of many launches lasts about this long: what an event pair and a gap between launches
// cost is then small, and so is the step of the clock.
constexpr double k_sample_us = 200;
constexpr int k_most_launches = 1024;
// Launches on other tensors must displace all that L2 holds, and then some: it is hashed. And each
// set of tensors is used once in a sample, so that there must be enough of them.
constexpr std::int64_t k_rotating_l2 = 8;
constexpr std::size_t k_most_slots = 256;
constexpr std::int64_t k_most_bytes = std::int64_t{4} << 30;
// Below this, cold samples alternate between two addresses.
constexpr std::int64_t k_cheap_bytes = std::int64_t{1} << 29;

std::int64_t bytes_of(const std::vector<SharedTensor>& tensors, std::int64_t workspace) {
  std::int64_t bytes = workspace;
  for (const SharedTensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.bytes);
  return std::max<std::int64_t>(bytes, 1);
}

}  // namespace

CudaTiming::CudaTiming(CudaSetting setting, const TimeJob& job, Bind bind)
    : setting_(setting), job_(job), bind_(std::move(bind)), hash_seed_(std::random_device()()) {}

std::size_t CudaTiming::addresses() const {
  std::int64_t all = 0;
  for (const auto& tensors : job_.sets) all += bytes_of(tensors, largest_workspace(job_.variants));
  switch (job_.cache) {
    case CacheState::cold:
      return all <= k_cheap_bytes ? 2 : 1;
    case CacheState::hot:
      return 1;
    case CacheState::rotating:
      break;
  }
  const std::int64_t wanted = (k_rotating_l2 * setting_.l2_bytes + all - 1) / all;
  const std::int64_t possible = std::max<std::int64_t>(k_most_bytes / all, 1);
  const auto most = static_cast<std::int64_t>(k_most_slots / job_.sets.size());
  return static_cast<std::size_t>(
      std::max<std::int64_t>(std::min({std::max<std::int64_t>(wanted, 2), possible, most}), 1));
}

Fault CudaTiming::fill_slots() {
  addresses_ = addresses();
  const std::int64_t workspace = largest_workspace(job_.variants);
  slots_.reserve(job_.sets.size() * addresses_);
  for (std::size_t address = 0; address < addresses_; ++address) {
    for (std::size_t set = 0; set < job_.sets.size(); ++set) {
      const CudaBuffers* first = address == 0 ? nullptr : &slots_[set].buffers;
      slots_.push_back({static_cast<int>(set),
                        CudaBuffers(setting_.driver, setting_.device, setting_.harness,
                                    job_.sets[set], workspace, Placement::margins, first),
                        {}});
      Slot& slot = slots_.back();
      slot.launches.resize(job_.variants.size());
    }
  }
  return {};
}

Fault CudaTiming::launch(std::size_t variant, std::size_t slot) const {
  return slots_[slot].launches[variant].enqueue();
}

// Binds the launches to every slot and runs them: that loads what is loaded late and grows what
// grows (local memory), and shows whether they run at all.
Fault CudaTiming::prepare(std::size_t variant) {
  for (Slot& slot : slots_) {
    if (Fault fault = bind_(variant, slot.buffers, slot.launches[variant])) return fault;
  }
  recordable_ = recordable_ && slots_.front().launches[variant].recordable;
  slots_.front().buffers.poison(Poison());
  for (int i = 0; i < std::max(job_.warmup, 1); ++i) {
    if (Fault refused = launch(variant, 0)) return refused;
  }
  setting_.driver.check(setting_.harness.synchronize(), "warming up");
  return slots_.front().buffers.damage();
}

// From the time of a single launch.
void CudaTiming::choose_launches() {
  launches_ = 1;
  if (job_.cache == CacheState::cold) return;
  const auto once =
      setting_.harness.time(slots_[0].launches[0].operations, [&] { return !launch(0, 0); });
  const double us = once ? std::max(once->microseconds, 0.1) : k_sample_us;
  int most = k_most_launches;
  if (!recordable_) {
    // What the stream holds while it is held.
    std::size_t operations = 1;
    for (const CudaLaunches& one : slots_[0].launches) {
      operations = std::max(operations, one.operations);
    }
    most = std::max(1, static_cast<int>(CudaHarness::k_most_held_operations / operations));
  }
  launches_ = std::clamp(static_cast<int>(std::ceil(k_sample_us / us)), 1, most);
  if (job_.cache != CacheState::rotating) return;
  // Every slot once: a launch that finds its outputs written could leave them. So there are no more
  // slots than a sample can hold launches; the first ones are of all sets.
  const std::size_t held = std::max(job_.sets.size(), static_cast<std::size_t>(most));
  while (slots_.size() > held) slots_.pop_back();
  launches_ = static_cast<int>(slots_.size());
  addresses_ = (slots_.size() + job_.sets.size() - 1) / job_.sets.size();
}

// All launches of a sample; a rotating one on each slot.
Fault CudaTiming::launch_many(std::size_t variant, std::size_t slot) const {
  Fault refused;
  for (int i = 0; i < launches_ && !refused; ++i) {
    const bool rotating = job_.cache == CacheState::rotating;
    refused = launch(variant, rotating ? static_cast<std::size_t>(i) : slot);
  }
  return refused;
}

Fault CudaTiming::record(std::size_t variant, std::size_t slot, CudaGraph& graph) {
  Fault refused;
  graph = capture(setting_.driver, setting_.harness.stream(),
                  [&] { refused = launch_many(variant, slot); });
  return refused;
}

Fault CudaTiming::take_one(const SampleOrder& order, CudaSample& sample) {
  Slot& slot = slots_[order.slot];
  // Nothing that an earlier launch left in outputs or workspace helps this one.
  slot.buffers.poison(Poison());
  setting_.harness.scrub();
  setting_.harness.flush_l2();
  Fault refused;
  const auto taken = setting_.harness.time(slot.launches[order.variant].operations, [&] {
    refused = launch(order.variant, order.slot);
    return !refused;
  });
  if (taken) sample = *taken;
  return refused;
}

Fault CudaTiming::take_many(const SampleOrder& order, CudaSample& sample) {
  const bool rotating = job_.cache == CacheState::rotating;
  CudaGraph& graph = graphs_[order.variant][rotating ? 0 : order.slot];
  if (recordable_ && !graph.get()) {
    if (Fault refused = record(order.variant, order.slot, graph)) return refused;
  }
  const auto poison = [&] {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (rotating || slot == order.slot) slots_[slot].buffers.poison(Poison());
    }
  };
  const CUstream stream = setting_.harness.stream();
  Fault refused;
  const auto run = [&] {
    if (recordable_) {
      setting_.driver.check(setting_.driver.cuGraphLaunch(graph.get(), stream),
                            "launching a graph");
    } else {
      refused = launch_many(order.variant, order.slot);
    }
    return !refused;
  };
  // Once outside the clock: then the caches hold what they will hold in the middle of a sample.
  // What it wrote is poisoned again, lest the timed launches find their work done.
  poison();
  run();
  poison();
  setting_.driver.check(setting_.harness.synchronize(), "warming the cache");
  const auto taken = setting_.harness.time(1, run);
  if (taken) sample = {taken->microseconds / launches_, taken->clock_mhz};
  return refused;
}

Fault CudaTiming::take(const SampleOrder& order, TimeSample& sample) {
  return guarded(setting_.driver, job_.variants[order.variant].plan, [&] {
    CudaSample taken;
    Fault fault = job_.cache == CacheState::cold ? take_one(order, taken) : take_many(order, taken);
    sample.us = taken.microseconds;
    sample.clock_mhz = taken.clock_mhz;
    if (const double watts = setting_.monitor.power_watts(); watts > 0) watts_.push_back(watts);
    return fault;
  });
}

bool CudaTiming::throttled() {
  const ThrottleCounters now = setting_.monitor.throttling();
  const std::vector<std::string> reasons = throttling_between(throttling_, now);
  throttling_ = now;
  for (const std::string& reason : reasons) {
    if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) {
      reasons_.push_back(reason);
    }
  }
  return !reasons.empty();
}

Fault CudaTiming::check_slots(std::size_t variant) {
  return guarded(setting_.driver, job_.variants[variant].plan, [&]() -> Fault {
    for (Slot& slot : slots_) {
      if (Fault fault = slot.buffers.damage()) return fault;
      if (const auto changed = slot.buffers.changed_inputs(); !changed.empty()) {
        return changed_input(changed);
      }
    }
    return {};
  });
}

TimeResult CudaTiming::run() {
  TimeResult result;
  result.fault = fill_slots();
  for (std::size_t variant = 0; variant < job_.variants.size() && !result.fault; ++variant) {
    result.faulty_variant = static_cast<int>(variant);
    result.fault =
        guarded(setting_.driver, job_.variants[variant].plan, [&] { return prepare(variant); });
  }
  if (result.fault) return result;
  choose_launches();
  graphs_.resize(job_.variants.size());
  for (auto& of_variant : graphs_) of_variant.resize(slots_.size());
  throttling_ = setting_.monitor.throttling();

  const bool rotating = job_.cache == CacheState::rotating;
  SamplingPlan plan{job_.variants.size(), slots_.size(), launches_, job_.stop, job_.seed,
                    job_.patience};
  Sampled sampled = take_samples(
      plan, job_.sets.size(),
      {[&](const SampleOrder& order, TimeSample& sample) { return take(order, sample); },
       [&](std::size_t slot) { return slots_[slot].buffers.hash_of_outputs(hash_seed_); },
       [&](std::size_t slot) { return slots_[slot].set; }, [&] { return throttled(); }});
  result = std::move(sampled.result);
  result.launches_per_sample = launches_;
  result.addresses = static_cast<int>(addresses_);
  result.graph = recordable_ && job_.cache != CacheState::cold;
  result.throttling = reasons_;
  if (!watts_.empty()) result.power_watts = median(watts_);
  if (result.fault) return result;
  result.fault = check_slots(0);
  if (result.fault) {
    result.faulty_variant = job_.variants.size() == 1 ? 0 : -1;
    return result;
  }
  for (std::size_t set = 0; set < sampled.last_slots.size(); ++set) {
    // A rotating sample runs on every slot, and so on every set.
    const auto slot = sampled.last_slots[set];
    if (!slot && !rotating) continue;
    CudaBuffers& buffers = slots_[slot.value_or(set)].buffers;
    if (!job_.digests.empty()) {
      if (buffers.hash_of_outputs(job_.digest_seed) == job_.digests.at(set)) continue;
      result.unlike.push_back(static_cast<int>(set));
    }
    buffers.download_outputs();
  }
  return result;
}

}  // namespace kernelloop
