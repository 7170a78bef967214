#include "profile/step_head.hpp"

#include "bench/ceilings.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"
#include "support/suggest.hpp"
#include "verify/case_data.hpp"

#include <vector>

namespace kernelloop {

Json step_head(const CompiledVersion& version, const std::string& status,
               const std::string& reason) {
  return {{"schema_version", 1},
          {"op", version.op},
          {"version", version.version},
          {"status", status},
          {"reason", reason}};
}

std::string reason_not_to_run(const CompiledVersion& version, const Json& verified,
                              const std::string& device) {
  if (version.status != CompiledVersion::Status::compiled) {
    return version.reason.empty() ? "it did not compile" : version.reason;
  }
  if (const std::string status = text_member(verified, "status"); status != "passed") {
    const std::string reason = text_member(verified, "reason");
    return !reason.empty() ? reason : "verification: " + (status.empty() ? "no verdict" : status);
  }
  if (version.availability != CompiledVersion::Availability::built) {
    return fmt::format("no artefact for the {} device{}{}", device,
                       version.artifact_reason.empty() ? "" : ": ", version.artifact_reason);
  }
  return {};
}

Workload workload_named(const OpSpec& spec, const std::string& device, const std::string& name) {
  const std::vector<Workload> workloads = spec.workloads_for(device);
  if (name.empty() && !workloads.empty()) return heaviest(spec, workloads);
  std::vector<std::string> names;
  for (const Workload& one : workloads) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  fail(ExitCode::bad_input, "{} has no workload '{}' for the {} device; {}", spec.name, name,
       device, name_hint(name, names));
}

}  // namespace kernelloop
