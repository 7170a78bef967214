#include "compile/compile.hpp"
#include "compile/compiler_trial.hpp"
#include "config/op_config.hpp"
#include "kernelloop/commands.hpp"
#include "kernelloop/compile_request.hpp"
#include "propose/propose.hpp"
#include "support/error.hpp"
#include "support/own_paths.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "context/reading_tools.hpp"
#include "languages/toolchain.hpp"
#include "languages/version_source.hpp"

#include <filesystem>
#include <memory>
#include <vector>

namespace kernelloop {
namespace {

struct ProposeOptions {
  std::string config;
  int version = 0;
};

// The compile step, as the inner loop uses it.
class StepCompiler : public Compiler {
 public:
  StepCompiler(const OpConfig& config, const OpSpec& spec, int version)
      : config_(config), spec_(spec), version_(version) {}

  void require_ready(const Language& language) override {
    require_compiler(language);
    if (follows_others(language)) return;
    try {
      try_compilers(compile_request(config_, spec_, language.source, {}));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: nothing was asked: {}", config_.op, error.what()));
    }
  }

  CompileOutcome compile(const std::filesystem::path& source,
                         const std::filesystem::path& scratch) override {
    const Json compiled = compile_version(compile_request(config_, spec_, source, scratch));
    return {compiled.at("status") == "compiled", compiled.at("problems")};
  }

 private:
  void require_compiler(const Language& language) const {
    if (!language.is_cuda()) {
      find_toolchain(language);
      return;
    }
    const bool cpu = config_.device == "cpu";
    if (cpu ? !config_.host_compiler.empty() : !config_.nvcc.empty()) return;
    fail(ExitCode::environment,
         "{}: there is no {} to compile a proposal with; nothing was asked; install it and "
         "configure again",
         config_.op, cpu ? "host compiler" : "nvcc");
  }

  // Whether versions of earlier rounds are in the language: their compile steps have shown that its
  // compiler works.
  [[nodiscard]] bool follows_others(const Language& language) const {
    const int first = config_.first_of_round(config_.round_of(version_));
    for (int earlier = 1; earlier < first; ++earlier) {
      const auto source = find_version_source(config_.version_dir(earlier));
      if (source && source->language == &language) return true;
    }
    return false;
  }

  const OpConfig& config_;
  const OpSpec& spec_;
  int version_;
};

void propose_and_say(const ProposeOptions& options) {
  const OpConfig config = load_config(options.config);
  const OpSpec spec = load_op_spec(config.spec);
  const UserConfig user = load_user_config(process_environment);
  StepCompiler compiler(config, spec, options.version);
  ProposeRequest request;
  request.config = &config;
  request.spec = &spec;
  request.user = &user;
  request.compiler = &compiler;
  request.version = options.version;
  request.courier = {this_program().string(), "courier"};
  // Nothing is read for a version that is there; a directory that has gone must not matter then.
  std::unique_ptr<ContextReader> reader;
  std::vector<std::unique_ptr<ReadingTool>> tools;
  if (!std::filesystem::exists(config.version_dir(options.version))) {
    reader = std::make_unique<ContextReader>(
        config, config.first_of_round(config.round_of(options.version)));
    tools = make_reading_tools(*reader);
    for (const auto& tool : tools) request.tools.push_back(tool.get());
  }
  fmt::print("{}\n", propose(request));
}

}  // namespace

void add_propose_command(CLI::App& app) {
  const auto options = std::make_shared<ProposeOptions>();
  CLI::App* command =
      app.add_subcommand("propose", "Have one version written, unless it is there already");
  command->add_option("--config", options->config, "config.json of the op")->required();
  command->add_option("--version", options->version, "number of the version, from 1")
      ->required()
      ->check(CLI::PositiveNumber);
  command->callback([options] { propose_and_say(*options); });
}

}  // namespace kernelloop
