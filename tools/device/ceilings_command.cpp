// kernelloop-device ceilings: what this GPU can do at most, measured, beside its datasheet.
#include "bench/ceilings.hpp"
#include "bench/peak_rates.hpp"
#include "device/commands.hpp"
#include "support/json.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace kernelloop {
namespace {

struct CeilingsOptions {
  std::string cache_dir;
  bool remeasure = false;
  bool json = false;
};

std::string value_text(const Roof& roof, double value) {
  if (!(value > 0)) return "-";
  switch (roof.unit) {
    case Roof::Unit::bytes:
      return fmt::format("{:.0f} GB/s", value * 1e-9);
    case Roof::Unit::operations:
      return fmt::format("{:.1f} T/s", value * 1e-12);
    case Roof::Unit::seconds:
      break;
  }
  return fmt::format("{:.2f} µs", value * 1e6);
}

void print_table(const Ceilings& ceilings, const DeviceDescription& device) {
  fmt::print("{}, driver {}; memory over buffers of {} MiB; clocks as found\n", device.name,
             device.driver, ceilings.buffer_bytes >> 20);
  fmt::print("{:<12} {:>12} {:>12} {:>5} {:>6}  {}\n", "roof", "measured", "datasheet", "", "MHz",
             "what");
  for (const Roof& roof : all_roofs()) {
    const RoofValue& found = ceilings.roofs.at(roof.name);
    const double datasheet = datasheet_value(roof, device);
    const bool both = found.value > 0 && datasheet > 0;
    fmt::print("{:<12} {:>12} {:>12} {:>5} {:>6}  {}\n", roof.name, value_text(roof, found.value),
               value_text(roof, datasheet),
               both ? fmt::format("{:.0f} %", 100 * found.value / datasheet) : "",
               found.clock_mhz > 0 ? fmt::format("{:.0f}", found.clock_mhz) : "", roof.what);
  }
  if (const std::vector<std::string> foreign = ceilings.foreign(); !foreign.empty()) {
    fmt::print(
        "another's process computed on the GPU while {} were measured, twice over: they may be "
        "too low, and nothing of this is kept\n",
        fmt::join(foreign, ", "));
  }
  for (const auto& [name, value] : ceilings.implausible) {
    fmt::print("roof {} is left out: {} were measured, which is more than this GPU can do\n", name,
               value_text(*find_roof(name), value));
  }
}

Json as_json(const Ceilings& ceilings, const DeviceDescription& device) {
  Json roofs = Json::object();
  for (const Roof& roof : all_roofs()) {
    const RoofValue& found = ceilings.roofs.at(roof.name);
    const double datasheet = datasheet_value(roof, device);
    roofs[roof.name] = {{"value", found.value},
                        {"datasheet", datasheet > 0 ? Json(datasheet) : Json(nullptr)},
                        {"clock_mhz", found.clock_mhz}};
  }
  return {{"schema_version", 1},
          {"device", to_json(device)},
          {"buffer_bytes", ceilings.buffer_bytes},
          {"implausible", ceilings.implausible},
          {"foreign", ceilings.foreign()},
          {"roofs", roofs}};
}

void show(const CeilingsOptions& options) {
  WorkerDevice device("cuda");
  const Ceilings ceilings = options.remeasure ? measure_ceilings(device, options.cache_dir)
                                              : ceilings_of(device, options.cache_dir);
  if (options.json) {
    fmt::print("{}", to_text(as_json(ceilings, device.device())));
  } else {
    print_table(ceilings, device.device());
  }
}

}  // namespace

void add_ceilings_command(CLI::App& app) {
  const auto options = std::make_shared<CeilingsOptions>();
  CLI::App* command = app.add_subcommand(
      "ceilings", "Show what the GPU can do at most, measured, beside its datasheet");
  command->add_option("--cache-dir", options->cache_dir, "keeps what was measured")->required();
  command->add_flag("--remeasure", options->remeasure, "measure again what is known already");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { show(*options); });
}

}  // namespace kernelloop
