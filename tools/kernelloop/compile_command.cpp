// `kernelloop compile`: a version's source in, compile.json and artefacts out.
#include "compile/compile.hpp"
#include "compile/compiler_trial.hpp"
#include "compile/normal_form.hpp"
#include "config/op_config.hpp"
#include "kernelloop/commands.hpp"
#include "kernelloop/compile_request.hpp"
#include "support/depfile.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "languages/version_source.hpp"

#include <algorithm>
#include <memory>
#include <optional>
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

// Edits of the source by hand, or of a header it reads, run the step again.
std::vector<std::filesystem::path> inputs_of(const std::filesystem::path& proposed,
                                             const Json& compiled) {
  std::vector<std::filesystem::path> inputs{proposed};
  if (const std::string source = compiled.at("source"); !source.empty()) inputs.push_back(source);
  for (const Json& file : compiled.at("dependencies")) inputs.push_back(file.get<std::string>());
  return inputs;
}

// The traced build of a version stands beside the real one, under the same names.
std::filesystem::path output_dir(const OpConfig& config, const CompileOptions& options) {
  const std::filesystem::path step_dir = config.step_dir(options.version);
  return options.traced ? step_dir / "traced" : step_dir;
}

// What stands in compile.json of a version that is not compiled: the loop did without it, or it is
// an earlier one once more.
Json nothing_compiled(const std::filesystem::path& output_dir, const char* status,
                      const std::string& reason) {
  remove_artifacts(output_dir, [](const std::string&) { return true; });
  const Json absent_cuda{{"status", "absent"}, {"reason", reason},         {"architecture", ""},
                         {"cubin", ""},        {"cubins", Json::object()}, {"ptx", ""}};
  const Json absent_cpu{{"status", "absent"}, {"reason", reason}, {"library", ""}};
  return {{"status", status},
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

// Whether a compiler did, of the source as it seems.
bool died(const Json& compiled) {
  const Json& problems = compiled.at("problems");
  return std::any_of(problems.begin(), problems.end(),
                     [](const Json& problem) { return problem.at("kind") == "crash"; });
}

Json compile_source(const OpConfig& config, const CompileOptions& options,
                    const std::filesystem::path& source) {
  const OpSpec spec = load_op_spec(config.build_dir / "contract.json");
  CompileRequest request = compile_request(config, spec, source, output_dir(config, options));
  // As they stand on the command line, which makes Ninja run the step again when they change.
  request.architectures = options.architectures;
  request.options = options.options;
  request.for_cpu = options.device == "cpu" && !options.traced;
  request.traced = options.traced;
  Json compiled = compile_version(request);
  // A compiler that dies of everything is no fault of the version, which would be judged for it and
  // replaced at a price.
  if (died(compiled)) try_compilers(request);
  return compiled;
}

std::string text_at(const JsonDocument& document, const char* name) {
  const auto found = document.value.find(name);
  if (found == document.value.end() || !found->is_string()) {
    fail(ExitCode::bad_input, "{}: member '{}' must be a string; run the propose step again",
         document.path.string(), name);
  }
  return found->get<std::string>();
}

// Where the source of `proposed` is an earlier version once more: that one's source. An edit of
// either file makes it a version of its own.
std::optional<std::filesystem::path> twin_of(const OpConfig& config, const Json& proposed) {
  const int earlier = version_number(text_member(proposed, "duplicate_of"));
  if (earlier == 0) return std::nullopt;
  const std::filesystem::path source = text_member(proposed, "source");
  const std::filesystem::path twin = version_source(config.version_dir(earlier));
  if (!std::filesystem::exists(source) || !std::filesystem::exists(twin)) return std::nullopt;
  const Language* language = language_of_source(source);
  if (language == nullptr || language != language_of_source(twin)) return std::nullopt;
  if (normal_hash(read_file(source), *language) != normal_hash(read_file(twin), *language)) {
    return std::nullopt;
  }
  return twin;
}

Json body_of(const OpConfig& config, const CompileOptions& options, const JsonDocument& proposed) {
  const std::filesystem::path directory = output_dir(config, options);
  if (text_at(proposed, "status") == "stopped") {
    return nothing_compiled(directory, "stopped", text_at(proposed, "reason"));
  }
  const std::string source = text_at(proposed, "source");
  const auto twin = twin_of(config, proposed.value);
  if (!twin) return compile_source(config, options, source);
  Json body = nothing_compiled(
      directory, "duplicate",
      "the same source as " + text_member(proposed.value, "duplicate_of") + ", sent once more");
  body["source"] = source;
  body["source_sha256"] = sha256_of_file(source);
  body["dependencies"].push_back(twin->string());
  return body;
}

void compile_step(const CompileOptions& options) {
  const OpConfig config = load_config(options.config);
  const std::filesystem::path step_dir = config.step_dir(options.version);
  const JsonDocument proposed = read_json(step_dir / "proposed.json");
  const Json body = body_of(config, options, proposed);

  Json result{{"schema_version", 1}, {"op", config.op}, {"version", version_name(options.version)}};
  result.update(body);
  const std::filesystem::path output = output_dir(config, options) / "compile.json";
  if (!options.depfile.empty()) {
    write_depfile(options.depfile, output, inputs_of(step_dir / "proposed.json", result));
  }
  write_file_if_changed(output, to_text(result));
  if (body.at("status") != "stopped") {
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
