// From the JSON of steps and committed evidence to the parts of a report. Older evidence lacks
// members; what it lacks is unknown.
#pragma once

#include "report/report.hpp"
#include "support/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace kernelloop {

// `workloads` of bench.json or of a baseline; one without a median is left out.
std::vector<ReportWorkload> report_workloads(const Json& timed);
std::vector<ReportRung> report_rungs(const Json& verified);
// `kernels` of compile.json, or of the `compile` member of evidence.
std::vector<ReportKernel> report_kernels(const Json& compiled);
// Of profile.json or trace.json; `absent` says why there may be no file. The digest is a text or a
// list of lines.
ReportDigest report_digest(const Json& looked, const std::string& absent);
// Measured roofs by name (docs/measurement.md); of bench.json's `ceilings`, also in its first form,
// which knew the copy alone.
std::map<std::string, double> report_roofs(const Json& ceilings);
// Nothing where compare.json is null or did not compare.
std::optional<ReportComparison> report_comparison(const Json& comparison);

}  // namespace kernelloop
