#include "bench/contestant.hpp"

#include "support/error.hpp"

namespace kernelloop {

Contestant contestant_of(const CompiledVersion& version, const OpSpec& spec,
                         const DeviceDescription& device) {
  if (version.availability != CompiledVersion::Availability::built) {
    fail(ExitCode::bad_input, "{} {} has nothing to run on the {} device: {}", version.op,
         version.version, device.kind,
         version.status == CompiledVersion::Status::compiled ? version.artifact_reason
                                                             : version.reason);
  }
  return {version.version, artifact_for(version, device),
          [&spec, &version](const WorkloadCase& one, const LaunchLimits& limits) {
            return plan_for(one, spec, version, limits);
          }};
}

Contestant baseline_contestant(const std::string& name, const std::filesystem::path& library,
                               const OpSpec& spec) {
  Artifact artifact;
  artifact.path = library;
  artifact.host_code = true;
  const auto plan = [&spec](const WorkloadCase& one,
                            const LaunchLimits&) -> std::variant<ResolvedPlan, std::string> {
    ResolvedPlan resolved;
    resolved.host = HostCall{spec.name, one.axes, one.scalars, {}};
    for (const std::vector<Tensor>* tensors : {&spec.inputs, &spec.outputs}) {
      for (const Tensor& tensor : *tensors) {
        if (!tensor.scalar) resolved.host->shapes[tensor.name] = shape_of(tensor, one.axes);
      }
    }
    return resolved;
  };
  return {"baseline " + name, std::move(artifact), plan};
}

}  // namespace kernelloop
