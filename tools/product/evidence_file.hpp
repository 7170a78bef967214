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
//   clocks, verify, bench, compile: {kernels, options, toolchain}, first_comparison,
//   comparison }
// The comparisons are null where no incumbent was timed. Paths of this machine and
// the serial number of the device are left out: the file is meant to be committed.
Json evidence_json(const OpConfig& config, const Candidate& candidate,
                   const Comparisons& comparisons);

}  // namespace kernelloop
