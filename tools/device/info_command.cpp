#include "device/commands.hpp"
#include "device/cuda_device.hpp"
#include "device/worker_client.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

DeviceDescription describe(const std::string& kind) {
  WorkerOptions options;
  options.device = kind;
  options.only_described = true;
  Worker worker(std::move(options));
  return worker.device();
}

struct Devices {
  std::vector<DeviceDescription> there;
  std::map<std::string, std::string> absent;  // kind -> why
};

Devices all_devices() {
  Devices devices;
  for (const char* kind : {"cuda", "cpu"}) {
    try {
      const bool gpu = std::string_view(kind) == "cuda";
      for (DeviceDescription& device :
           gpu ? list_cuda_devices() : std::vector<DeviceDescription>{describe(kind)}) {
        devices.there.push_back(std::move(device));
      }
    } catch (const Error& error) {
      devices.absent[kind] = error.what();
    }
  }
  return devices;
}

void list_devices(bool as_json) {
  const Devices devices = all_devices();
  if (as_json) {
    Json list = Json::array();
    for (const DeviceDescription& device : devices.there) list.push_back(to_json(device));
    fmt::print("{}",
               to_text({{"schema_version", 1}, {"devices", list}, {"absent", devices.absent}}));
    return;
  }
  for (const DeviceDescription& device : devices.there) {
    fmt::print("{:<5} {}{}{}{}{}\n", device.kind, device.name,
               device.architecture.empty() ? "" : ", ", device.architecture,
               device.uuid.empty() ? "" : ", ", device.uuid);
  }
  for (const auto& [kind, reason] : devices.absent) {
    fmt::print("{:<5} not available: {}\n", kind, reason);
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
  const auto as_json = std::make_shared<bool>(false);
  CLI::App* list = app.add_subcommand("list", "List the devices of this machine");
  list->add_flag("--json", *as_json, "for programs: {devices, absent}");
  list->callback([as_json] { list_devices(*as_json); });
}

}  // namespace kernelloop
