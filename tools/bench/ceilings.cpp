#include "bench/ceilings.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

constexpr int k_cache_version = 1;
constexpr double k_microseconds = 1e6;

std::filesystem::path cache_path(const DeviceDescription& device,
                                 const std::filesystem::path& cache_dir) {
  const std::string key = device.uuid + "\n" + device.name + "\n" + device.driver;
  return cache_dir / ("ceilings-" + sha256(key).substr(0, 16) + ".json");
}

std::optional<Ceilings> read_cache(const std::filesystem::path& path,
                                   const DeviceDescription& device) {
  try {
    const Json json = read_json(path).value;
    Ceilings ceilings;
    ceilings.copy_bytes_per_second = json.at("copy_bytes_per_second").get<double>();
    ceilings.copy_buffer_bytes = json.at("copy_buffer_bytes").get<std::int64_t>();
    const bool ours = json.at("schema_version").get<int>() == k_cache_version &&
                      json.at("uuid").get<std::string>() == device.uuid &&
                      json.at("driver").get<std::string>() == device.driver;
    const bool sane = std::isfinite(ceilings.copy_bytes_per_second) &&
                      ceilings.copy_bytes_per_second > 0 && ceilings.copy_buffer_bytes > 0;
    if (ours && sane) {
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
  const Json json = {{"schema_version", k_cache_version},
                     {"device", device.name},
                     {"uuid", device.uuid},
                     {"driver", device.driver},
                     {"copy_bytes_per_second", ceilings.copy_bytes_per_second},
                     {"copy_buffer_bytes", ceilings.copy_buffer_bytes}};
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

Ceilings ceilings_of(TimingDevice& device, const std::filesystem::path& cache_dir) {
  const DeviceDescription& description = device.device();
  if (description.kind == "cpu") {
    return {};
  }
  const std::filesystem::path path = cache_path(description, cache_dir);
  if (const std::optional<Ceilings> cached = read_cache(path, description)) {
    return *cached;
  }
  Ceilings ceilings;
  // Two buffers must fit beside whatever else lives on the device.
  ceilings.copy_buffer_bytes = description.memory_bytes > 0
                                   ? std::min(k_roof_buffer_bytes, description.memory_bytes / 8)
                                   : k_roof_buffer_bytes;
  ceilings.copy_bytes_per_second = device.measure_copy(ceilings.copy_buffer_bytes);
  write_cache(path, description, ceilings);
  return ceilings;
}

CostNumbers cost_of(const OpSpec& spec, const Bindings& axes) {
  CostNumbers cost;
  cost.bytes = evaluate_cost(spec.cost.bytes, axes, "bytes");
  for (const auto& [name, expression] : spec.cost.flops) {
    cost.flops[name] = evaluate_cost(expression, axes, "flops of " + name);
  }
  return cost;
}

std::optional<double> speed_of_light_us(const CostNumbers& cost, const Ceilings& ceilings) {
  double seconds = 0;
  if (ceilings.copy_bytes_per_second > 0) {
    seconds = cost.bytes / ceilings.copy_bytes_per_second;
  }
  for (const auto& [name, operations] : cost.flops) {
    const auto rate = ceilings.operations_per_second.find(name);
    if (rate != ceilings.operations_per_second.end() && rate->second > 0) {
      seconds = std::max(seconds, operations / rate->second);
    }
  }
  return seconds > 0 ? std::optional<double>(seconds * k_microseconds) : std::nullopt;
}

}  // namespace kernelloop
