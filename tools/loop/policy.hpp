// The search policy: what the next round does, from what is known. Pure: no files, no clock.
//
// It does not know how many rounds there are: raising VERSIONS must re-run nothing that is done.
#pragma once

#include "loop/history.hpp"

namespace kernelloop {

struct PolicySettings {
  double sol_target = 0.9;  // stop when the best version reaches this share of the roofline
  // A round counts as a gain when the best time falls by more than this. Times of the CPU device
  // are wall times on a shared machine, hence the wider margin.
  double gain_cuda = 0.01;
  double gain_cpu = 0.05;
  int branch_after = 2;    // rounds without a gain: try a different idea
  int stop_after = 4;      // rounds without a gain: stop (plateau)
  int fixes_in_a_row = 2;  // then give the idea up
  int give_up_after = 8;   // rounds in which no version was ever right
};

// The decision after `history.round`; reads `history.versions` only.
Decision decide(const History& history, const PolicySettings& settings);

}  // namespace kernelloop
