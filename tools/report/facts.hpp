// What stands in the tree of an operator, before it is sorted by device: versions, what this build
// says of them, and committed evidence.
#pragma once

#include "config/op_config.hpp"
#include "loop/evidence.hpp"
#include "support/json.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kernelloop {

// A version that exists, with what this build says of it.
struct KnownVersion {
  int number = 0;
  std::string source;
  Json origin;
  std::optional<VersionEvidence> built;  // nothing when this build has not compiled it
};

// Evidence of an adopted version, as it was committed.
struct CommittedEvidence {
  Json json;
  std::string sha256;
};

struct ReportFacts {
  std::vector<KnownVersion> versions;
  std::map<std::string, CommittedEvidence> committed;  // by device
  std::optional<std::pair<std::string, DeviceName>> build_device;
};

// Reads all of it; `inputs` receives what was read, and directories where more may appear. Throws
// Error(bad_input) on a file that is broken.
ReportFacts collect_facts(const OpConfig& config, std::vector<std::filesystem::path>& inputs);

// A version's evidence on one device: of this build where it has measured there, else what was
// committed of it, else nothing. `measured_by` receives "build" or "evidence".
std::optional<VersionEvidence> evidence_on(const ReportFacts& facts, const std::string& device,
                                           const KnownVersion& one, std::string& measured_by);

}  // namespace kernelloop
