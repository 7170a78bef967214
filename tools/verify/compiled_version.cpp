#include "verify/compiled_version.hpp"

#include "device/architecture.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"

namespace kernelloop {
namespace {

CompiledVersion::Status parse_status(const std::string& text) {
  if (text == "compiled") return CompiledVersion::Status::compiled;
  if (text == "stopped") return CompiledVersion::Status::stopped;
  if (text == "duplicate") return CompiledVersion::Status::duplicate;
  if (text == "failed") return CompiledVersion::Status::failed;
  fail(ExitCode::bad_input, "unknown status \"{}\"", text);
}

std::string first_problem(const Json& json) {
  for (const Json& problem : json.value("problems", Json::array())) {
    if (problem.value("severity", "error") == "error") return problem.at("message");
  }
  return {};
}

KernelInfo parse_kernel(const Json& json) {
  KernelInfo kernel;
  kernel.name = json.at("name");
  for (const Json& parameter : json.at("parameters")) {
    kernel.parameters.push_back(
        {parameter.at("offset").get<std::size_t>(), parameter.at("size").get<std::size_t>()});
  }
  kernel.max_threads_per_block = json.value("max_threads_per_block", std::int64_t{1024});
  kernel.static_shared_bytes = json.value("static_shared_bytes", std::int64_t{0});
  const auto block = json.find("required_block");
  if (block != json.end() && !block->is_null()) {
    kernel.required_block = block->get<std::array<int, 3>>();
  }
  return kernel;
}

// Paths may be relative to the file, as in a bundle.
void read_artifact(const Json& json, const std::string& device,
                   const std::filesystem::path& directory, CompiledVersion& version) {
  const Json& artifact = json.at("artifacts").at(device);
  const std::string status = artifact.at("status");
  version.artifact_reason = artifact.value("reason", "");
  if (status == "built") {
    version.availability = CompiledVersion::Availability::built;
    version.artifact.path =
        directory / artifact.at(device == "cuda" ? "cubin" : "library").get<std::string>();
    for (const auto& [architecture, path] : member(artifact, "cubins").items()) {
      version.cubins[architecture] = directory / path.get<std::string>();
    }
    for (const KernelInfo& kernel : version.kernels) {
      version.artifact.kernels.push_back(kernel.name);
    }
  } else if (status == "not_runnable" || status == "absent") {
    version.availability = CompiledVersion::Availability::not_runnable;
    if (version.artifact_reason.empty()) version.artifact_reason = "not built for this device";
  }
}

void read_compiled(const Json& json, const OpSpec& spec, const std::string& device,
                   const std::filesystem::path& directory, CompiledVersion& version) {
  version.plan = plan_from_json(json.at("plan"), spec);
  for (const Json& kernel : json.at("kernels")) version.kernels.push_back(parse_kernel(kernel));
  version.instructions = judge_instructions(json.value("instructions", Json::object()), spec);
  version.numbers = json.value("numbers", std::set<std::int64_t>());
  read_artifact(json, device, directory, version);
}

}  // namespace

Artifact artifact_for(const CompiledVersion& version, const DeviceDescription& device) {
  Artifact artifact = version.artifact;
  if (device.kind != "cuda" || version.cubins.empty()) return artifact;
  std::vector<std::string> built;
  for (const auto& [architecture, path] : version.cubins) built.push_back(architecture);
  const std::string chosen = architecture_for(device.architecture, built);
  if (chosen.empty()) {
    fail(ExitCode::bad_input,
         "{} {} is compiled for {}, and {} is {}; add its architecture to ARCHITECTURES of the op "
         "or to CMAKE_CUDA_ARCHITECTURES",
         version.op, version.version, fmt::join(built, ", "), device.name, device.architecture);
  }
  artifact.path = version.cubins.at(chosen);
  return artifact;
}

CompiledVersion load_compiled_version(const std::filesystem::path& path, const OpSpec& spec,
                                      const std::string& device) {
  const JsonDocument document = read_json(path);
  const Json& json = document.value;
  CompiledVersion version;
  try {
    version.op = json.at("op");
    version.version = json.at("version");
    version.status = parse_status(json.at("status"));
    version.reason = json.value("reason", "");
    if (version.reason.empty()) version.reason = first_problem(json);
    version.source_sha256 = json.value("source_sha256", "");
    if (version.status == CompiledVersion::Status::compiled) {
      read_compiled(json, spec, device, std::filesystem::absolute(path).parent_path(), version);
    }
  } catch (const Json::exception& error) {
    fail(ExitCode::bad_input, "{}: not a compile.json: {}; compile the version again",
         path.string(), error.what());
  } catch (const Error& error) {
    fail(ExitCode::bad_input, "{}: not a compile.json: {}; compile the version again",
         path.string(), error.what());
  }
  if (version.op != spec.name) {
    fail(ExitCode::bad_input, "{}: is of op '{}', but the contract is of '{}'", path.string(),
         version.op, spec.name);
  }
  return version;
}

}  // namespace kernelloop
