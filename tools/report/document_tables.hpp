// The tables of a report. Each is filled from the report alone.
#pragma once

#include "report/document.hpp"
#include "report/report.hpp"

namespace kernelloop {

// One row a version: how it came about, its verdict, time, speed-up, speed of light and its bound.
Table versions_table(const Report& report);
Table baselines_table(const Report& report);
Table baseline_workloads_table(const Report& report);
// One row a workload of the version that `version` is the index of.
Table workloads_table(const Report& report, std::size_t version);
Table roofs_table(const Report& report);
// Where each workload of each timed version and baseline stands: what the roofline plot shows.
Table roofline_table(const Report& report);
// Rungs by versions that were measured on this device.
Table ladder_table(const Report& report);
Table resources_table(const Report& report, std::size_t version);
// Tokens and money by version, and in all.
Table cost_table_of(const Report& report);
Table device_table(const Report& report);

}  // namespace kernelloop
