#include "kernelloop/commands.hpp"
#include "product/adopt.hpp"
#include "product/fleet.hpp"
#include "report/report_files.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace kernelloop {
namespace {

struct AdoptOptions {
  std::string config;
  AdoptRequest request;
};

void adopt_and_say(const AdoptOptions& options) {
  const OpConfig config = load_config(options.config);
  fmt::print("{}\n", adopt(config, options.request, device_rematch(config)).line);
  for (const auto& [architecture, launcher] : config.fleet) {
    const OpConfig seen = for_class(config, architecture);
    if (!std::filesystem::exists(config.build_dir / "fleet" / architecture)) {
      fmt::print("{0} on {1}: not judged yet; build fleet_{0}\n", config.op, architecture);
      continue;
    }
    try {
      fmt::print("{}\n", adopt(seen, options.request, device_rematch(seen)).line);
    } catch (const Error& error) {  // what another class adopted stands
      if (error.code() != ExitCode::check_failed) throw;
      fmt::print("{} on {}: nothing adopted: {}\n", config.op, architecture, error.what());
    }
  }
  try {
    for (const std::string& note : write_reports(config).notes) fmt::print("{}\n", note);
  } catch (const Error& error) {  // what was adopted stands
    fmt::print(stderr, "kernelloop: no report: {}; build report_{} again\n", error.what(),
               config.op);
  }
}

}  // namespace

void add_adopt_command(CLI::App& app) {
  const auto options = std::make_shared<AdoptOptions>();
  CLI::App* command = app.add_subcommand(
      "adopt", "Make the fastest verified version the one that ships, if it beats the incumbent");
  command->add_option("--config", options->config, "config.json of the op")->required();
  command->add_option("--version", options->request.version, "this version, not the fastest");
  command->add_flag("--force", options->request.force,
                    "without a comparison, and across device models");
  command->callback([options] { adopt_and_say(*options); });
}

}  // namespace kernelloop
