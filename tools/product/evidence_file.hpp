// The evidence of an adopted version, for the repository: what was checked and measured, where.
#pragma once

#include "config/op_config.hpp"
#include "product/candidate.hpp"
#include "support/json.hpp"

#include <string>

namespace kernelloop {

// { op, version, status: "verified", source_sha256, rules: {verification, measurement}, device,
//   clocks, verify, bench, compile: {kernels, options, toolchain}, comparison }
// `comparison` is compare.json against the version it replaces, or null. Paths of this machine and
// the serial number of the device are left out: the file is meant to be committed.
Json evidence_json(const OpConfig& config, const Candidate& candidate, const Json& comparison);

// The same for people, in Markdown.
std::string evidence_report(const Json& evidence);

}  // namespace kernelloop
