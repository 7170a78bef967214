// Climbs one rung of the ladder.
#pragma once

#include "verify/case_queue.hpp"
#include "verify/case_runner.hpp"
#include "verify/rung.hpp"
#include "verify/verdict.hpp"

#include <cstddef>
#include <mutex>
#include <span>

namespace kernelloop {

// Lets several threads use one executor: what they ask of it happens one after the other.
class SharedExecutor final : public Executor {
 public:
  // `executor` must outlive it, and is asked by nobody else meanwhile.
  explicit SharedExecutor(Executor& executor) : executor_(executor), device_(executor.device()) {}

  const DeviceDescription& device() override { return device_; }
  RunResult run(const RunRequest& request) override {
    const std::lock_guard lock(mutex_);
    return executor_.run(request);
  }
  ToolResult check(SanitizerTool tool, const RunRequest& request) override {
    const std::lock_guard lock(mutex_);
    return executor_.check(tool, request);
  }

 private:
  Executor& executor_;
  DeviceDescription device_;
  std::mutex mutex_;
};

struct ClimbOptions {
  bool keep_going = false;  // after a case that failed
  // So many cases at a time: while the outputs of one are judged, the device runs another. What a
  // case costs then holds its waiting for the device. The runner's executor must be shared.
  std::size_t lanes = 1;
};

// Takes `cases` from the queue, where they come next, until one fails. The verdict is the same for
// any number of lanes. Throws what the queue or the runner threw.
RungVerdict climb_rung(const Rung& rung, std::span<const CasePlan> cases, CaseQueue& queue,
                       const CaseRunner& runner, const ClimbOptions& options);

}  // namespace kernelloop
