#include "bench/bench.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kernelloop {
namespace {

std::string three_digits(double value, const char* unit) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

std::string time_text(double microseconds) {
  if (microseconds < 0.9995) {
    return three_digits(microseconds * 1e3, "ns");
  }
  if (microseconds < 999.5) {
    return three_digits(microseconds, "µs");
  }
  if (microseconds < 999500) {
    return three_digits(microseconds / 1e3, "ms");
  }
  return three_digits(microseconds / 1e6, "s");
}

namespace {

std::string times_line(const Json& bench, const std::string& who) {
  const Json& summary = bench.at("summary");
  const std::string time = time_text(summary.at("time_us").get<double>());
  if (bench.at("mode") == "wall") {
    return fmt::format("{}  {} wall on the CPU device (emulation)", who, time);
  }
  const std::string device = bench.at("device").value("name", "unknown device");
  if (summary.at("sol").is_null()) {
    return fmt::format("{}  {}  {}", who, time, device);
  }
  return fmt::format("{}  {}  {:.0f} % of the roof  {}", who, time,
                     100 * summary.at("sol").get<double>(), device);
}

}  // namespace

std::string summary_line(const Json& bench) {
  const std::string who = fmt::format("{} {}", bench.at("op").get<std::string>(),
                                      bench.at("version").get<std::string>());
  const std::string status = bench.at("status").get<std::string>();
  if (status != "measured") {
    return fmt::format("{}  not timed ({}): {}", who, status, bench.value("reason", ""));
  }
  const Json noise = bench.at("summary").value("noise", Json());
  return times_line(bench, who) +
         (noise.is_string() ? "\n  noisy: " + noise.get<std::string>() : std::string());
}

}  // namespace kernelloop
