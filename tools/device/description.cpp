#include "device/description.hpp"

#include <fmt/ranges.h>

#include <array>

namespace kernelloop {
namespace {

struct KindName {
  FaultKind kind;
  const char* name;
};
constexpr std::array<KindName, 14> k_kind_names{{
    {FaultKind::none, "none"},
    {FaultKind::launch_refused, "launch_refused"},
    {FaultKind::illegal_access, "illegal_access"},
    {FaultKind::misaligned, "misaligned"},
    {FaultKind::changed_input, "changed_input"},
    {FaultKind::trap, "trap"},
    {FaultKind::divergent_barrier, "divergent_barrier"},
    {FaultKind::timeout, "timeout"},
    {FaultKind::crash, "crash"},
    {FaultKind::load_failed, "load_failed"},
    {FaultKind::not_runnable, "not_runnable"},
    {FaultKind::race, "race"},
    {FaultKind::reads_uninitialised, "reads_uninitialised"},
    {FaultKind::other, "other"},
}};

}  // namespace

const char* name_of(FaultKind kind) {
  for (const KindName& entry : k_kind_names) {
    if (entry.kind == kind) return entry.name;
  }
  return "other";
}

FaultKind fault_kind_of(std::string_view name) {
  for (const KindName& entry : k_kind_names) {
    if (entry.name == name) return entry.kind;
  }
  return FaultKind::other;
}

Fault changed_input(const std::vector<std::string>& names, const std::string& place) {
  return {FaultKind::changed_input,
          fmt::format("the kernel writes to input '{}'{}{}; inputs are for reading only",
                      fmt::join(names, "', '"), place.empty() ? "" : " at ", place)};
}

Json fault_to_json(const Fault& fault) {
  return Json{{"kind", name_of(fault.kind)}, {"message", fault.message}};
}

Fault fault_from_json(const Json& json) {
  return Fault{fault_kind_of(json.at("kind").get<std::string>()),
               json.at("message").get<std::string>()};
}

Json to_json(const DeviceDescription& device) {
  const LaunchLimits& limits = device.limits;
  return Json{{"kind", device.kind},
              {"name", device.name},
              {"uuid", device.uuid},
              {"architecture", device.architecture},
              {"driver", device.driver},
              {"multiprocessors", device.multiprocessors},
              {"l2_bytes", device.l2_bytes},
              {"memory_bytes", device.memory_bytes},
              {"datasheet_bandwidth", device.datasheet_bandwidth},
              {"highest_clock_hz", device.highest_clock_hz},
              {"limits",
               {{"max_threads_per_block", limits.max_threads_per_block},
                {"max_shared_bytes", limits.max_shared_bytes},
                {"max_grid", limits.max_grid},
                {"max_block", limits.max_block},
                {"max_workspace_bytes", limits.max_workspace_bytes}}},
              {"confinement", device.confinement}};
}

DeviceDescription description_from_json(const Json& json) {
  DeviceDescription device;
  json.at("kind").get_to(device.kind);
  json.at("name").get_to(device.name);
  json.at("uuid").get_to(device.uuid);
  json.at("architecture").get_to(device.architecture);
  json.at("driver").get_to(device.driver);
  json.at("multiprocessors").get_to(device.multiprocessors);
  json.at("l2_bytes").get_to(device.l2_bytes);
  json.at("memory_bytes").get_to(device.memory_bytes);
  json.at("datasheet_bandwidth").get_to(device.datasheet_bandwidth);
  json.at("highest_clock_hz").get_to(device.highest_clock_hz);
  const Json& limits = json.at("limits");
  limits.at("max_threads_per_block").get_to(device.limits.max_threads_per_block);
  limits.at("max_shared_bytes").get_to(device.limits.max_shared_bytes);
  limits.at("max_grid").get_to(device.limits.max_grid);
  limits.at("max_block").get_to(device.limits.max_block);
  limits.at("max_workspace_bytes").get_to(device.limits.max_workspace_bytes);
  json.at("confinement").get_to(device.confinement);
  return device;
}

}  // namespace kernelloop
