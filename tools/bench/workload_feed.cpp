#include "bench/workload_feed.hpp"

#include "support/stopwatch.hpp"

#include <utility>

namespace kernelloop {

WorkloadFeed::WorkloadFeed(const OpSpec& spec, std::vector<Workload> workloads, std::string device,
                           std::uint64_t seed, bool ahead)
    : spec_(spec),
      workloads_(std::move(workloads)),
      device_(std::move(device)),
      seed_(seed),
      ahead_(ahead) {
  begin_next();
}

WorkloadFeed::Ready WorkloadFeed::make(std::size_t number,
                                       std::optional<TensorArena> memory) const {
  double seconds = 0;
  WorkloadCase one = timed(seconds, [&] {
    // Of the size of the largest, so that it serves every one.
    if (!memory) memory = memory_for(spec_, workloads_);
    return prepare_workload(spec_, workloads_[number], device_, seed_, std::move(memory));
  });
  return {std::move(one), seconds};
}

void WorkloadFeed::begin_next() {
  if (!ahead_ || empty()) return;
  next_ = std::async(std::launch::async, [this, number = taken_,
                                          memory = std::exchange(spare_, std::nullopt)]() mutable {
    return make(number, std::move(memory));
  });
}

WorkloadFeed::Ready WorkloadFeed::take() {
  Ready ready = next_.valid() ? next_.get() : make(taken_, std::exchange(spare_, std::nullopt));
  ++taken_;
  begin_next();
  return ready;
}

void WorkloadFeed::give_back(WorkloadCase&& done) { spare_ = std::move(done.sets.front()); }

}  // namespace kernelloop
