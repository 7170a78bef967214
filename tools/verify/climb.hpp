// The way of a version up the ladder: its cases are chosen and made, run, and judged.
#pragma once

#include "spec/op_spec.hpp"
#include "support/json.hpp"
#include "verify/compiled_version.hpp"
#include "verify/rung.hpp"
#include "verify/verdict.hpp"
#include "verify/verify.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// Whether there is an artefact that runs, made of the arithmetic that the op declares, with a plan
// of which every launch can be tested.
RungVerdict build_rung(const CompiledVersion& version, const OpSpec& spec,
                       const std::string& device);

struct Climbed {
  std::vector<RungVerdict> rungs;  // those that were reached
  Json device;
  std::string device_name;
};

// Climbs `wanted` until one fails, or all of them where the options say so. Throws as run_verify.
Climbed climb_ladder(const VerifyOptions& options, const OpSpec& spec,
                     const CompiledVersion& version, const std::vector<const Rung*>& wanted,
                     const ExecutorFactory& make_executor);

}  // namespace kernelloop
