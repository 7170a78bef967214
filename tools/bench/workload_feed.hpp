// The workloads of a measurement made ready one after the other.
#pragma once

#include "bench/workload_case.hpp"

#include <future>
#include <optional>
#include <vector>

namespace kernelloop {

// Hands out workloads in their order, their inputs drawn. With `ahead`, the one after is drawn
// while the caller works on the one it took. That does not show in times that a GPU takes of a held
// stream; it would in wall times of an emulation.
class WorkloadFeed {
 public:
  // `spec` must outlive the feed. With `ahead` it begins at once.
  WorkloadFeed(const OpSpec& spec, std::vector<Workload> workloads, std::string device,
               std::uint64_t seed, bool ahead);

  struct Ready {
    WorkloadCase one;
    double seconds = 0;  // that it took to make
  };
  [[nodiscard]] bool empty() const noexcept { return taken_ == workloads_.size(); }
  // The next one; there must be one. Throws as prepare_workload does.
  Ready take();

  // The memory of a workload that the caller is through with serves a later one.
  void give_back(WorkloadCase&& done);

 private:
  Ready make(std::size_t number, std::optional<TensorArena> memory) const;
  void begin_next();

  const OpSpec& spec_;
  std::vector<Workload> workloads_;
  std::string device_;
  std::uint64_t seed_;
  bool ahead_;
  std::size_t taken_ = 0;
  std::optional<TensorArena> spare_;
  std::future<Ready> next_;
};

}  // namespace kernelloop
