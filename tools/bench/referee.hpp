// Holds the times of the events against what the GPU was seen to do: a second witness, which knows
// kernels by name and when each of them ran.
#pragma once

#include "device/activity.hpp"
#include "plan/launch_plan.hpp"

#include <string>
#include <vector>

namespace kernelloop {

struct RefereeVerdict {
  enum class Status { agreed, disagreed, unavailable };

  struct Kernel {
    std::string name;
    double us = 0;  // median over the iterations
  };

  Status status = Status::unavailable;
  std::string reason;  // unless it agreed
  int iterations = 0;
  double event_us = 0;          // median, while recording
  double kernels_us = 0;        // median of the time in which at least one kernel ran
  std::vector<Kernel> kernels;  // in the order of the plan
};
const char* name_of(RefereeVerdict::Status status);

// In each iteration: the plan's kernels and no others, in the stream, with the plan's geometry; no
// copy, fill or allocation; and the events span what the kernels take and little more. And nothing
// else ran meanwhile.
RefereeVerdict referee(const ResolvedPlan& plan, const ActivityResult& activity);

// Why a median of timed launches cannot be that of the kernels that were seen; empty when it can.
std::string contradiction(const RefereeVerdict& verdict, double timed_us);

}  // namespace kernelloop
