// `kernelloop compile`: a version's source in, compile.json and artefacts out.
#include "compile/compile.hpp"
#include "config/op_config.hpp"
#include "kernelloop/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

struct CompileOptions {
  std::string config;
  int version = 0;
  std::string device;
  std::vector<std::string> architectures;
  std::vector<std::string> options;
  std::string depfile;
  bool traced = false;
};

// As Make and Ninja read file names.
std::string escaped(const std::string& path) {
  std::string result;
  for (const char c : path) {
    if (c == ' ' || c == '#') result += '\\';
    if (c == '$') result += '$';
    result += c;
  }
  return result;
}

// Edits of the source by hand, or of a header it reads, run the step again.
void write_depfile(const std::filesystem::path& depfile, const std::filesystem::path& output,
                   const std::filesystem::path& proposed, const Json& compiled) {
  // Always one prerequisite: a rule without any is lost on its way through CMake, and Ninja would
  // run the step at every build.
  std::string rule = escaped(output.string()) + ": " + escaped(proposed.string());
  if (const std::string source = compiled.at("source"); !source.empty()) {
    rule += " " + escaped(source);
  }
  for (const Json& file : compiled.at("dependencies")) {
    rule += " \\\n  " + escaped(file.get<std::string>());
  }
  write_file_if_changed(depfile, rule + "\n");
}

// The traced build of a version stands beside the real one, under the same names.
std::filesystem::path output_dir(const OpConfig& config, const CompileOptions& options) {
  const std::filesystem::path step_dir = config.step_dir(options.version);
  return options.traced ? step_dir / "traced" : step_dir;
}

// What stands in compile.json of a version that the loop did without.
Json stopped(const std::filesystem::path& step_dir, const std::string& reason) {
  remove_artifacts(step_dir, [](const std::string&) { return true; });
  const Json absent_cuda{{"status", "absent"}, {"reason", reason},         {"architecture", ""},
                         {"cubin", ""},        {"cubins", Json::object()}, {"ptx", ""}};
  const Json absent_cpu{{"status", "absent"}, {"reason", reason}, {"library", ""}};
  return {{"status", "stopped"},
          {"reason", reason},
          {"source", ""},
          {"source_sha256", ""},
          {"dependencies", Json::array()},
          {"problems", Json::array()},
          {"plan", nullptr},
          {"kernels", Json::array()},
          {"artifacts", {{"cuda", absent_cuda}, {"cpu", absent_cpu}}},
          {"toolchain", {{"nvcc", ""}, {"host_compiler", ""}}}};
}

Json compile_source(const OpConfig& config, const CompileOptions& options,
                    const std::filesystem::path& source) {
  const OpSpec spec = load_op_spec(config.build_dir / "contract.json");
  CompileRequest request;
  request.source = source;
  request.output_dir = output_dir(config, options);
  request.spec = &spec;
  request.architectures = options.architectures;
  request.options = options.options;
  request.nvcc = config.nvcc;
  request.for_cpu = options.device == "cpu" && !options.traced;
  request.traced = options.traced;
  request.host_compiler = config.host_compiler;
  request.cpu_include_dir = config.cpu_include_dir;
  return compile_version(request);
}

std::string member(const JsonDocument& document, const char* name) {
  const auto found = document.value.find(name);
  if (found == document.value.end() || !found->is_string()) {
    fail(ExitCode::bad_input, "{}: member '{}' must be a string; run the propose step again",
         document.path.string(), name);
  }
  return found->get<std::string>();
}

void compile_step(const CompileOptions& options) {
  const OpConfig config = load_config(options.config);
  const std::filesystem::path step_dir = config.step_dir(options.version);
  const JsonDocument proposed = read_json(step_dir / "proposed.json");
  const bool ready = member(proposed, "status") != "stopped";
  const Json body = ready ? compile_source(config, options, member(proposed, "source"))
                          : stopped(output_dir(config, options), member(proposed, "reason"));

  Json result{{"schema_version", 1}, {"op", config.op}, {"version", version_name(options.version)}};
  result.update(body);
  const std::filesystem::path output = output_dir(config, options) / "compile.json";
  if (!options.depfile.empty()) {
    write_depfile(options.depfile, output, step_dir / "proposed.json", result);
  }
  write_file_if_changed(output, to_text(result));
  if (ready) {
    const std::string reason = body.at("reason");
    fmt::print("{} {}: {}{}{}\n", config.op, version_name(options.version),
               options.traced ? "traced build " : "", body.at("status").get<std::string>(),
               reason.empty() ? "" : ": " + reason);
  }
}

}  // namespace

void add_compile_command(CLI::App& app) {
  const auto options = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand("compile", "Compile a version for its device");
  command->add_option("--config", options->config, "config.json of the op")->required();
  command->add_option("--version", options->version, "version, from 1")
      ->required()
      ->check(CLI::PositiveNumber);
  command->add_option("--device", options->device, "cuda or cpu")
      ->required()
      ->check(CLI::IsMember({"cuda", "cpu"}));
  command->add_option("--architectures", options->architectures, "GPU architectures, as 90a");
  command->add_option("--options", options->options, "one more option for nvcc; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--depfile", options->depfile, "where to write what was read");
  command->add_flag("--traced", options->traced,
                    "build with the marks of kernelloop/trace.cuh, into vNNN/traced/");
  command->callback([options] { compile_step(*options); });
}

}  // namespace kernelloop
