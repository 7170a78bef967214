// Fills reports from what stands in the tree: the steps' files of this build, the versions and the
// committed evidence.
#pragma once

#include "config/op_config.hpp"
#include "report/report.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

struct GatheredReports {
  std::map<std::string, Report> by_device;  // "nvidia-h200" (device_slug)
  std::vector<std::filesystem::path>
      inputs;  // what was read, and directories where more may appear
};

// One report for each device with evidence: the one this build measures on, and those whose
// evidence is committed. Versions that have none on a device are listed as not measured there.
// Measures nothing and asks nobody. Throws Error(bad_input) on a file that is broken.
GatheredReports gather_reports(const OpConfig& config);

// Whether `file` holds a report, and no evidence: "<device>.report.json".
bool is_report_file(const std::filesystem::path& file);

}  // namespace kernelloop
