#include "product/library.hpp"

#include "compile/compile.hpp"
#include "product/adopted.hpp"
#include "product/launcher_source.hpp"
#include "support/depfile.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/process.hpp"
#include "support/version.hpp"
#include "verify/compiled_version.hpp"

#include <fmt/format.h>

#include "languages/version_source.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace kernelloop {
namespace {

// Architectures that ship the same version, in the order of the config.
struct Shipment {
  AdoptedVersion adopted;
  std::vector<std::string> architectures;
  std::vector<std::string> devices;  // that judged it, each once
};

void add_device(const AdoptedVersion& adopted, std::vector<std::string>& devices) {
  const std::string device = adopted.device_kind == "cpu"
                                 ? fmt::format("the CPU device ({})", adopted.device_name)
                                 : adopted.device_name;
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
}

std::vector<Shipment> shipments_of(const OpConfig& config, const Adopted& adopted,
                                   std::vector<std::string>& notes) {
  std::vector<Shipment> shipments;
  for (const std::string& architecture : config.architectures) {
    const auto entry = adopted.architectures.find(architecture);
    if (entry == adopted.architectures.end()) {
      notes.push_back(
          fmt::format("{}: no version is adopted for sm_{}, so the library will refuse such a "
                      "device; run adopt_{} where one is",
                      config.op, architecture, config.op));
      continue;
    }
    const auto same = std::find_if(shipments.begin(), shipments.end(), [&](const Shipment& one) {
      return one.adopted.version == entry->second.version;
    });
    Shipment& shipment =
        same != shipments.end() ? *same : shipments.emplace_back(Shipment{entry->second, {}, {}});
    shipment.architectures.push_back(architecture);
    add_device(entry->second, shipment.devices);
  }
  if (shipments.empty()) {
    fail(ExitCode::check_failed,
         "{}: {} has no version for {}: run adopt_{} on such a device, or set ARCHITECTURES",
         config.op, config.adopted_file().string(), fmt::join(config.architectures, ", "),
         config.op);
  }
  return shipments;
}

Adopted require_adopted(const OpConfig& config) {
  const std::optional<Adopted> adopted = read_adopted(config.adopted_file());
  if (!adopted) {
    fail(ExitCode::check_failed,
         "{0} has no adopted version ({1} is missing): run optimize_{0}, then adopt_{0}", config.op,
         config.adopted_file().string());
  }
  return *adopted;
}

std::filesystem::path source_of(const OpConfig& config, const AdoptedVersion& adopted) {
  return version_source(config.generated_dir / config.op / adopted.version);
}

void require_unedited(const OpConfig& config, const AdoptedVersion& adopted) {
  const std::filesystem::path source = source_of(config, adopted);
  if (!std::filesystem::exists(source)) {
    fail(ExitCode::check_failed,
         "{}: the adopted {} is gone ({} is missing): restore it from git, or run adopt_{}",
         config.op, adopted.version, source.string(), config.op);
  }
  if (sha256_of_file(source) != adopted.source_sha256) {
    fail(ExitCode::check_failed,
         "{}: kernel.cu of {} was edited after it was verified; run adopt_{} again", config.op,
         adopted.version, config.op);
  }
}

CompiledVersion compile_for(const OpConfig& config, const OpSpec& spec,
                            const AdoptedVersion& adopted, const std::string& architecture,
                            const std::filesystem::path& directory) {
  CompileRequest request;
  request.source = source_of(config, adopted);
  request.output_dir = directory;
  request.spec = &spec;
  request.architectures = {architecture};
  request.options = config.compile_options;
  request.nvcc = config.nvcc;
  request.cpu_include_dir = config.cpu_include_dir;
  Json compiled = {{"schema_version", 1}, {"op", config.op}, {"version", adopted.version}};
  compiled.update(compile_version(request));
  const std::filesystem::path report = directory / "compile.json";
  write_file_atomic(report, to_text(compiled));
  CompiledVersion version = load_compiled_version(report, spec, "cuda");
  if (version.availability != CompiledVersion::Availability::built) {
    fail(ExitCode::bad_input, "{}: the adopted {} does not compile for sm_{} here: {}", config.op,
         adopted.version, architecture,
         version.reason.empty() ? version.artifact_reason : version.reason);
  }
  return version;
}

// Packs cubins of several architectures into one image, from which the driver picks.
std::string packed(const OpConfig& config, const std::vector<std::string>& architectures,
                   const std::vector<std::filesystem::path>& cubins,
                   const std::filesystem::path& directory) {
  if (cubins.size() == 1) {
    return read_file(cubins.front());
  }
  const std::filesystem::path output = directory / "image.fatbin";
  const std::filesystem::path beside = config.nvcc.parent_path() / "fatbinary";
  Command command;
  command.arguments = {std::filesystem::exists(beside) ? beside.string() : "fatbinary", "--64",
                       "--create=" + output.string()};
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    command.arguments.push_back(
        fmt::format("--image3=kind=elf,sm={},file={}", architectures[i], cubins[i].string()));
  }
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    fail(ExitCode::environment, "{}: fatbinary failed ({}): {}", config.op, result.describe(),
         result.error_output.substr(0, result.error_output.find('\n')));
  }
  return read_file(output);
}

ShippedVersion shipped(const OpConfig& config, const OpSpec& spec, const Shipment& shipment,
                       const std::filesystem::path& scratch) {
  ShippedVersion result;
  result.version = shipment.adopted.version;
  result.architectures = shipment.architectures;
  result.source_sha256 = shipment.adopted.source_sha256;
  result.verified_on = fmt::format("{}", fmt::join(shipment.devices, ", "));
  std::vector<std::filesystem::path> cubins;
  for (const std::string& architecture : shipment.architectures) {
    CompiledVersion compiled =
        compile_for(config, spec, shipment.adopted, architecture,
                    scratch / (shipment.adopted.version + "-" + architecture));
    cubins.push_back(compiled.artifact.path);
    result.plan = std::move(compiled.plan);
    result.kernels = std::move(compiled.kernels);
  }
  result.image = packed(config, shipment.architectures, cubins, scratch);
  return result;
}

std::vector<std::filesystem::path> inputs_of(const OpConfig& config,
                                             const std::vector<Shipment>& shipments) {
  std::vector<std::filesystem::path> inputs = {config.adopted_file(), config.spec};
  for (const Shipment& one : shipments) {
    inputs.push_back(source_of(config, one.adopted));
  }
  return inputs;
}

}  // namespace

std::vector<std::string> build_library(const OpConfig& config, const LibraryRequest& request) {
  std::vector<std::string> notes;
  const Adopted adopted = require_adopted(config);
  const std::vector<Shipment> shipments = shipments_of(config, adopted, notes);
  for (const Shipment& one : shipments) {
    require_unedited(config, one.adopted);
  }
  if (config.nvcc.empty()) {
    fail(ExitCode::environment,
         "{}: building the library needs nvcc: install the CUDA Toolkit, or set "
         "KERNELLOOP_NVCC and configure again",
         config.op);
  }
  const OpSpec spec = load_op_spec(config.spec);
  std::filesystem::create_directories(request.output_dir);
  const TemporaryDirectory scratch(request.output_dir);
  std::vector<ShippedVersion> versions;
  for (const Shipment& one : shipments) {
    versions.push_back(shipped(config, spec, one, scratch.path()));
  }
  const LauncherSource text = launcher_source(spec, versions);
  const std::filesystem::path source = request.output_dir / (config.op + ".cpp");
  write_file_if_changed(request.output_dir / (config.op + ".h"), text.header);
  write_file_if_changed(source, text.source);
  if (!request.depfile.empty()) {
    write_depfile(request.depfile, source, inputs_of(config, shipments));
  }
  return notes;
}

}  // namespace kernelloop
