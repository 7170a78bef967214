// The files of reports: <reports>/<op>/<device>.md, .report.json and .html, <reports>/index.html.
#pragma once

#include "config/op_config.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct WrittenReports {
  std::vector<std::filesystem::path> files;   // of this op, written or already the same
  std::vector<std::string> notes;             // a line each: what was kept, and why
  std::vector<std::filesystem::path> inputs;  // what they were made from
};

// Writes the reports of an op for all devices, and the index anew. Files that are the same stay as
// they are; evidence is never touched. A report that a build with measurements wrote is kept where
// this build could only make one from the evidence, unless that is other evidence by now. No file
// where nothing was measured on any device. Throws Error.
WrittenReports write_reports(const OpConfig& config);

}  // namespace kernelloop
