// What the next proposal is told about the last round: feedback.md.
#pragma once

#include "loop/evidence.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// Markdown, a page at most. Numbers are rounded so that noise changes no prompt; hold-out cases
// appear by kind only. `round` is the evidence of the round just folded.
std::string feedback_text(const History& history, const std::vector<VersionEvidence>& round);

// The part about one version: problems, failed cases, times. `cpu`: its times are wall times of the
// CPU device.
std::string version_text(const VersionRecord& record, const VersionEvidence& evidence, bool cpu);

}  // namespace kernelloop
