// The evidence of an adopted version, for the repository: what was checked and measured, where.
#pragma once

#include "config/op_config.hpp"
#include "product/candidate.hpp"
#include "support/json.hpp"

namespace kernelloop {

// compare.json against the version that is replaced, taken twice; null where none was.
struct Comparisons {
  Json first = nullptr;
  Json confirming = nullptr;
};

// { op, version, status: "verified", source_sha256, rules: {verification, measurement}, device,
//   clocks, verify, bench, baselines: [{name, status, reason, ratio, workloads, summary}],
//   compile: {kernels, options, toolchain}, first_comparison, comparison }
// `baselines` are those of baselines.json, as bench.json has workloads and summary; `ratio` is a
// baseline's time over the version's, null where the baseline has none. It is null where none is
// registered, or they were not timed in this build on this device by these rules. The comparisons
// are null where no incumbent was timed. Paths of this machine and the serial number of the device
// are left out: the file is meant to be committed.
Json evidence_json(const OpConfig& config, const Candidate& candidate,
                   const Comparisons& comparisons);

}  // namespace kernelloop
