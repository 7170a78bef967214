#include "kernelloop/commands.hpp"
#include "product/provenance.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace kernelloop {
namespace {

void check_provenance(const std::string& path) {
  const OpConfig config = load_config(path);
  if (!was_adopted(config)) {
    throw Error(ExitCode::skipped,
                fmt::format("skipped: {0} has no adopted version yet; build optimize_{0}, then "
                            "adopt_{0}",
                            config.op));
  }
  const std::vector<std::string> problems = provenance_problems(config);
  if (!problems.empty()) {
    throw Error(ExitCode::check_failed, fmt::format("{}", fmt::join(problems, "\nkernelloop: ")));
  }
  fmt::print("{}: what ships is what was verified\n", config.op);
}

}  // namespace

void add_provenance_command(CLI::App& app) {
  const auto config = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("provenance", "Check that what ships is what was verified");
  command->add_option("--config", *config, "config.json of the op")->required();
  command->callback([config] { check_provenance(*config); });
}

}  // namespace kernelloop
