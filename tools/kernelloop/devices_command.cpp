// `kernelloop devices`: the devices that an operator's steps can have, and what CTest has to know
// of them to share them out among tests.
#include "config/find_config.hpp"
#include "config/gpu_slot.hpp"
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "product/device_step.hpp"
#include "report/columns.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/process.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

struct DevicesOptions {
  OpChoice choice;
  std::string resource_spec;
  int slots = 1;
  bool json = false;
};

OpConfig config_of(const OpChoice& choice) {
  if (!choice.op.empty() || !choice.config.empty()) return load_chosen(choice);
  return load_config(require_configs(choose_build_dir(choice.build_dir)).front());
}

// What the device program says, on the machine that the launcher chooses.
Json devices_of(const OpConfig& config) {
  Command command;
  command.arguments = device_step(config, "list", {"--json"});
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    const ExitCode code = result.signal == 0 && !result.timed_out && result.exit_code > 0
                              ? static_cast<ExitCode>(result.exit_code)
                              : ExitCode::environment;
    fail(code, "the devices of {} are not to be had ({}): {}", config.op, result.describe(),
         result.error_output.substr(0, result.error_output.find('\n')));
  }
  Json json = Json::parse(result.output, nullptr, false);
  if (!member(json, "devices").is_array()) {
    fail(ExitCode::environment, "{} list --json does not list devices",
         config.device_tool.string());
  }
  return json;
}

// CTest's resource specification file, version 1.0: https://cmake.org, ctest(1).
Json resource_spec(const Json& devices, int slots) {
  Json gpus = Json::array();
  for (const Json& device : devices) {
    if (text_member(device, "kind") != "cuda") continue;
    gpus.push_back({{"id", ctest_id(text_member(device, "uuid"))}, {"slots", slots}});
  }
  Json local = Json::object();
  local["gpus"] = std::move(gpus);
  return {{"version", {{"major", 1}, {"minor", 0}}}, {"local", Json::array({local})}};
}

void show(const DevicesOptions& options) {
  const Json json = devices_of(config_of(options.choice));
  const Json& devices = json["devices"];
  if (!options.resource_spec.empty()) {
    write_file_if_changed(options.resource_spec, to_text(resource_spec(devices, options.slots)));
  }
  if (options.json) {
    fmt::print("{}", to_text(json));
    return;
  }
  std::vector<std::vector<std::string>> rows{{"device", "name", "architecture", "uuid"}};
  for (const Json& device : devices) {
    const std::string uuid = text_member(device, "uuid");
    const std::string architecture = text_member(device, "architecture");
    rows.push_back({text_member(device, "kind"), text_member(device, "name"),
                    architecture.empty() ? "-" : architecture, uuid.empty() ? "-" : uuid});
  }
  fmt::print("{}", in_columns(rows));
  const Json absent = member(json, "absent");
  for (const auto& [kind, reason] : absent.items()) {
    if (reason.is_string()) fmt::print("  {}: {}\n", kind, reason.get<std::string>());
  }
}

}  // namespace

void add_devices_command(CLI::App& app) {
  const auto options = std::make_shared<DevicesOptions>();
  CLI::App* command =
      app.add_subcommand("devices", "List the devices that steps run on, through the launcher");
  add_op_choice(*command, options->choice);
  command->add_option("--resource-spec", options->resource_spec,
                      "file to write for ctest --resource-spec-file");
  command->add_option("--slots", options->slots, "slots of a GPU in it: tests that may share one")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--json", options->json, "for programs");
  command->callback([options] { show(*options); });
}

}  // namespace kernelloop
