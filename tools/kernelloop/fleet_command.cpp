#include "kernelloop/commands.hpp"
#include "product/fleet.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace kernelloop {
namespace {

struct FleetOptions {
  std::string config;
  std::string architecture;
};

void judge(const FleetOptions& options) {
  const OpConfig config = load_config(options.config);
  if (config.fleet.empty()) {
    fail(ExitCode::usage,
         "{}: no class of devices has a launcher of its own; set KERNELLOOP_DEVICE_LAUNCHER_<one "
         "of ARCHITECTURES>",
         config.op);
  }
  for (const auto& [architecture, launcher] : config.fleet) {
    if (!options.architecture.empty() && options.architecture != architecture) continue;
    for (const std::string& line : judge_on_class(config, architecture, device_fleet_step())) {
      fmt::print("{}\n", line);
    }
  }
}

}  // namespace

void add_fleet_command(CLI::App& app) {
  const auto options = std::make_shared<FleetOptions>();
  CLI::App* command = app.add_subcommand(
      "fleet", "Verify and time the versions on devices of other classes, by their launchers");
  command->add_option("--config", options->config, "config.json of the op")->required();
  command->add_option("--architecture", options->architecture, "of this class only");
  command->callback([options] { judge(*options); });
}

}  // namespace kernelloop
