#include "device/commands.hpp"
#include "device/worker_client.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <memory>

namespace kernelloop {
namespace {

DeviceDescription describe(const std::string& kind) {
  Worker worker(WorkerOptions{kind, {}, {}});
  return worker.device();
}

void list_devices() {
  for (const char* kind : {"cuda", "cpu"}) {
    try {
      const DeviceDescription device = describe(kind);
      fmt::print("{:<5} {}{}{}\n", kind, device.name, device.architecture.empty() ? "" : ", ",
                 device.architecture);
    } catch (const Error& error) {
      fmt::print("{:<5} not available: {}\n", kind, error.what());
    }
  }
}

}  // namespace

void add_info_command(CLI::App& app) {
  const auto kind = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("info", "Describe a device as JSON");
  command->add_option("--device", *kind, "cuda or cpu")
      ->required()
      ->check(CLI::IsMember({"cuda", "cpu"}));
  command->callback([kind] { fmt::print("{}", to_text(to_json(describe(*kind)))); });
}

void add_list_command(CLI::App& app) {
  app.add_subcommand("list", "List the devices of this machine")->callback(list_devices);
}

}  // namespace kernelloop
