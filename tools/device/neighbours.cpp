#include "device/neighbours.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

// What a later set must not hide.
bool tells_something(const TimeResult& result) {
  return result.fault || result.rechecks.differing > 0 || !result.unlike.empty();
}

// Puts the samples of an earlier set before those of a later one.
TimeResult joined(TimeResult earlier, TimeResult later) {
  if (later.samples.size() != 1 || earlier.samples.size() != 1) return later;
  std::vector<TimeSample> samples = std::move(earlier.samples.front());
  samples.insert(samples.end(), later.samples.front().begin(), later.samples.front().end());
  later.samples.front() = std::move(samples);
  later.rechecks.count += earlier.rechecks.count;
  for (std::string& reason : earlier.throttling) {
    if (std::find(later.throttling.begin(), later.throttling.end(), reason) ==
        later.throttling.end()) {
      later.throttling.push_back(std::move(reason));
    }
  }
  return later;
}

}  // namespace

bool Neighbours::accompanied(const std::function<void()>& take) const {
  const bool before = !look_().empty();
  take();
  return before || !look_().empty();
}

bool Neighbours::take_set(const std::function<TimeResult()>& take, TimeResult& result) const {
  if (!accompanied([&] { result = take(); })) return false;
  for (std::vector<TimeSample>& samples : result.samples) {
    for (TimeSample& sample : samples) sample.foreign = true;
  }
  return true;
}

TimeResult Neighbours::time(const std::function<TimeResult()>& take) {
  TimeResult first;
  if (!take_set(take, first) || stay_ || tells_something(first)) return first;
  TimeResult second;
  stay_ = take_set(take, second);
  if (second.fault) return second;
  return joined(std::move(first), std::move(second));
}

RoofValue Neighbours::measure(const std::function<RoofValue()>& take) {
  RoofValue value;
  value.foreign = accompanied([&] { value = take(); });
  if (value.foreign && !stay_) {
    stay_ = accompanied([&] { value = take(); });
    value.foreign = stay_;
  }
  return value;
}

}  // namespace kernelloop
