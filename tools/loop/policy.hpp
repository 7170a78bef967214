// The search policy: what the next round does, from what is known. Pure: no files, no clock, and
// what it draws it draws again. docs/search.md says why it does what it does.
//
// It does not know how many rounds there are: raising VERSIONS must re-run nothing that is done.
#pragma once

#include "loop/history.hpp"

#include <string>

namespace kernelloop {

struct PolicySettings {
  double sol_target = 0.9;  // stop when the best version reaches this share of the roofline
  // A round counts as a gain when the best time falls by more than this. Times of the CPU device
  // are wall times on a shared machine, hence the wider margin.
  double gain_cuda = 0.01;
  double gain_cpu = 0.05;
  [[nodiscard]] double gain_on(const std::string& device_kind) const {
    return device_kind == "cpu" ? gain_cpu : gain_cuda;
  }

  int branch_after = 2;      // rounds without a gain: try a different idea
  int stop_after = 6;        // rounds without a gain: stop (plateau, repeated failure)
  int fixes_in_a_row = 2;    // then give the idea up
  int give_up_after = 8;     // rounds in which no version was ever right
  int duplicate_rounds = 3;  // rounds in a row that sent known versions: stop
  // A branch starts from a version at most this many times slower than the best, and so far may one
  // be whose configurations are tried.
  double good_within = 1.2;
  double preference = 4.0;  // a parent's weight is (best time / its time) to this power
};

// To make the best version faster.
Decision refine(const VersionRecord& best);

// The decision after `history.round`; reads `history.op`, the device kind and the versions. The
// draw of a parent depends on the op's name and the round alone.
Decision decide(const History& history, const PolicySettings& settings);

}  // namespace kernelloop
