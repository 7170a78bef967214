#include "bench/ceilings.hpp"

#include "bench/peak_rates.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

constexpr int k_cache_version = 3;
constexpr double k_microseconds = 1e6;
// Clocks are sampled and datasheets rounded; what is further above is not a measurement.
constexpr double k_plausible = 1.1;

// More than the device can do; no limit where its datasheet is unknown.
bool is_implausible(const Roof& roof, double value, const DeviceDescription& device) {
  const double most = datasheet_value(roof, device);
  return most > 0 && value > k_plausible * most;
}

// Roofs belong to a device, a driver and the clocks that are set.
std::filesystem::path cache_path(const DeviceDescription& device,
                                 const std::filesystem::path& cache_dir) {
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", device.uuid, device.name, device.driver,
                                      device.highest_clock_hz, device.datasheet_bandwidth);
  return cache_dir / ("ceilings-" + sha256(key).substr(0, 16) + ".json");
}

std::optional<Ceilings> read_cache(const std::filesystem::path& path,
                                   const DeviceDescription& device) {
  try {
    const Json json = read_json(path).value;
    Ceilings ceilings;
    ceilings.buffer_bytes = json.at("buffer_bytes").get<std::int64_t>();
    json.at("implausible").get_to(ceilings.implausible);
    bool sane = ceilings.buffer_bytes > 0 &&
                std::all_of(ceilings.implausible.begin(), ceilings.implausible.end(),
                            [](const auto& one) { return find_roof(one.first) != nullptr; });
    for (const Roof& roof : all_roofs()) {
      const Json& entry = json.at("roofs").at(roof.name);
      const RoofValue value{entry.at("value").get<double>(), entry.at("clock_mhz").get<double>(),
                            false};
      sane = sane && std::isfinite(value.value) && value.value >= 0 &&
             !is_implausible(roof, value.value, device);
      ceilings.roofs[roof.name] = value;
    }
    const bool ours = json.at("schema_version").get<int>() == k_cache_version &&
                      json.at("uuid").get<std::string>() == device.uuid &&
                      json.at("driver").get<std::string>() == device.driver;
    if (ours && sane && ceilings["copy"] > 0) {
      return ceilings;
    }
  } catch (const Error&) {
    // Missing or broken: measured again.
  } catch (const Json::exception&) {
    // The same.
  }
  return std::nullopt;
}

void write_cache(const std::filesystem::path& path, const DeviceDescription& device,
                 const Ceilings& ceilings) {
  Json roofs = Json::object();
  for (const auto& [name, value] : ceilings.roofs) {
    roofs[name] = {{"value", value.value}, {"clock_mhz", value.clock_mhz}};
  }
  const Json json = {{"schema_version", k_cache_version},
                     {"device", device.name},
                     {"uuid", device.uuid},
                     {"driver", device.driver},
                     {"buffer_bytes", ceilings.buffer_bytes},
                     {"implausible", ceilings.implausible},
                     {"roofs", roofs}};
  try {
    std::filesystem::create_directories(path.parent_path());
    write_file_atomic(path, to_text(json));
  } catch (const Error&) {
    // A cache that cannot be kept is measured again next time.
  } catch (const std::filesystem::filesystem_error&) {
    // The same.
  }
}

double evaluate_cost(const Expression& expression, const Bindings& axes, const std::string& what) {
  try {
    const std::int64_t value = expression.evaluate(axes);
    if (value < 0) {
      fail(ExitCode::bad_input, "cost: {} `{}` is negative ({}); mend it in op.json", what,
           expression.text(), value);
    }
    return static_cast<double>(value);
  } catch (const ExpressionError& error) {
    fail(ExitCode::bad_input, "cost: {} `{}`: {}; mend it in op.json", what, expression.text(),
         error.what());
  }
}

}  // namespace

double Ceilings::operator[](const std::string& roof) const {
  const auto found = roofs.find(roof);
  return found == roofs.end() ? 0.0 : found->second.value;
}

std::vector<std::string> Ceilings::foreign() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : roofs) {
    if (value.foreign) names.push_back(name);
  }
  return names;
}

double datasheet_value(const Roof& roof, const DeviceDescription& device) {
  const std::string_view name = roof.name;
  if (roof.unit == Roof::Unit::operations) {
    return operations_per_clock(device.architecture, name) *
           static_cast<double>(device.multiprocessors) * device.highest_clock_hz;
  }
  return roof.unit == Roof::Unit::bytes && name != "shared" ? device.datasheet_bandwidth : 0.0;
}

Ceilings measure_ceilings(TimingDevice& device, const std::filesystem::path& cache_dir) {
  const DeviceDescription& description = device.device();
  if (description.kind == "cpu") {
    return {};
  }
  Ceilings ceilings;
  // Three buffers must fit beside whatever else lives on the device.
  ceilings.buffer_bytes = description.memory_bytes > 0
                              ? std::min(k_roof_buffer_bytes, description.memory_bytes / 8)
                              : k_roof_buffer_bytes;
  for (const Roof& roof : all_roofs()) {
    RoofValue& found = ceilings.roofs[roof.name];
    found = device.measure_roof(roof, ceilings.buffer_bytes);
    if (is_implausible(roof, found.value, description)) {
      ceilings.implausible[roof.name] = found.value;
      found = {};
    }
  }
  // Measured in company, they would be wrong for as long as they are kept.
  if (ceilings.foreign().empty()) {
    write_cache(cache_path(description, cache_dir), description, ceilings);
  }
  return ceilings;
}

Ceilings ceilings_of(TimingDevice& device, const std::filesystem::path& cache_dir) {
  const DeviceDescription& description = device.device();
  if (description.kind == "cpu") {
    return {};
  }
  if (auto cached = read_cache(cache_path(description, cache_dir), description)) {
    return std::move(*cached);
  }
  return measure_ceilings(device, cache_dir);
}

CostNumbers cost_of(const OpSpec& spec, const Bindings& axes) {
  CostNumbers cost;
  cost.bytes = evaluate_cost(spec.cost.bytes, axes, "bytes");
  for (const auto& [name, expression] : spec.cost.flops) {
    cost.flops[name] = evaluate_cost(expression, axes, "flops of " + name);
  }
  return cost;
}

const Workload& heaviest(const OpSpec& spec, const std::vector<Workload>& workloads) {
  const auto bytes = [&](const Workload& one) {
    return cost_of(spec, resolve_axes(spec, one.axes)).bytes;
  };
  return *std::max_element(
      workloads.begin(), workloads.end(),
      [&](const Workload& a, const Workload& b) { return bytes(a) < bytes(b); });
}

double memory_roof(const Ceilings& ceilings, double read_share) {
  struct Point {
    double share;
    const char* roof;
  };
  constexpr std::array<Point, 4> k_points{
      {{0.0, "write"}, {0.5, "copy"}, {2.0 / 3.0, "triad"}, {1.0, "read"}}};
  std::vector<std::pair<double, double>> known;  // share, seconds of a byte
  for (const Point& point : k_points) {
    if (ceilings[point.roof] > 0) known.emplace_back(point.share, 1.0 / ceilings[point.roof]);
  }
  if (known.empty()) return 0;
  const auto above = std::find_if(known.begin(), known.end(),
                                  [&](const auto& point) { return point.first >= read_share; });
  if (above == known.begin()) return 1.0 / known.front().second;
  if (above == known.end()) return 1.0 / known.back().second;
  const auto below = above - 1;
  const double weight = (read_share - below->first) / (above->first - below->first);
  return 1.0 / (below->second + weight * (above->second - below->second));
}

double read_share_of(const OpSpec& spec, const Bindings& axes) {
  const double read = total_bytes(spec.inputs, axes);
  const double all = read + total_bytes(spec.outputs, axes);
  return all > 0 ? read / all : 0.5;
}

std::optional<SpeedOfLight> speed_of_light(const CostNumbers& cost, double read_share,
                                           const Ceilings& ceilings) {
  SpeedOfLight light;
  if (const double roof = memory_roof(ceilings, read_share); roof > 0 && cost.bytes > 0) {
    light = {cost.bytes / roof * k_microseconds, "memory"};
  }
  for (const auto& [name, operations] : cost.flops) {
    if (!(ceilings[name] > 0)) continue;
    const double us = operations / ceilings[name] * k_microseconds;
    if (us > light.us) light = {us, name};
  }
  return light.us > 0 ? std::optional<SpeedOfLight>(light) : std::nullopt;
}

}  // namespace kernelloop
