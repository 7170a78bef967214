// Times two contestants against each other in one process, on the same inputs, sample by sample.
#pragma once

#include "bench/comparison.hpp"
#include "bench/contestant.hpp"
#include "bench/timing_device.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"

#include <cstdint>
#include <string>

namespace kernelloop {

struct RematchRequest {
  const OpSpec* spec = nullptr;  // of timing.json
  Contestant incumbent;
  Contestant challenger;
  std::string device;      // "cuda" | "cpu"
  std::uint64_t seed = 0;  // of inputs and bootstrap
};

// compare.json: { op, incumbent, challenger, status: "compared"|"failed", reason, rules, device,
// mode, verdict, ratio, interval: [low, high], noise_floor, self_ratio, workloads: [{name, samples,
// incumbent_us, challenger_us, ratio}] }. Ratios are challenger / incumbent, the floor is relative.
// The incumbent is loaded a second time to measure the noise. "failed": one of the two faulted.
// Throws Error(bad_input) when there is no workload.
Json rematch(const RematchRequest& request, TimingDevice& device);

// One line for people: "softmax: v006 against v004: FASTER, 0.962 of its time (0.958 to 0.966;
// noise 0.5 %)  NVIDIA H200".
std::string rematch_line(const Json& report);

}  // namespace kernelloop
