#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "report/explain.hpp"
#include "support/error.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace kernelloop {
namespace {

struct WhyOptions {
  OpChoice choice;
  std::string version;
};

void explain(const WhyOptions& options) {
  const OpConfig config = load_chosen(options.choice);
  if (options.version.empty()) {
    fmt::print("{}", explain_loop(config));
    return;
  }
  const int version = version_number(options.version);
  if (version == 0) {
    fail(ExitCode::usage, "'{}' is no version; write v001, v002, ...", options.version);
  }
  fmt::print("{}", explain_version(config, version));
}

}  // namespace

void add_why_command(CLI::App& app) {
  const auto options = std::make_shared<WhyOptions>();
  CLI::App* command = app.add_subcommand(
      "why", "Say why the loop of an operator stopped, or what became of a version");
  add_op_choice(*command, options->choice);
  command->add_option("version", options->version, "version, as v003");
  command->callback([options] { explain(*options); });
}

}  // namespace kernelloop
