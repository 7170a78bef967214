#include "bench/bench_json.hpp"

#include "support/statistics.hpp"

#include <fmt/format.h>

#include "counters/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kernelloop {
namespace {

Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

std::ptrdiff_t count_of_foreign(const std::vector<TimeSample>& samples) {
  return std::count_if(samples.begin(), samples.end(),
                       [](const TimeSample& sample) { return sample.foreign; });
}

// What every way of timing shows.
Json timing_json(const Timing& timing) {
  const Summary& times = timing.times;
  const bool bounded = std::isfinite(timing.interval.low) && std::isfinite(timing.interval.high);
  return {
      {"samples", times.count},
      {"set_aside", timing.set_aside},
      {"throttling", timing.throttling},
      {"foreign", count_of_foreign(timing.samples)},
      {"median_us", times.median},
      {"interval_us", bounded ? Json{timing.interval.low, timing.interval.high} : Json(nullptr)},
      {"min_us", times.min},
      {"p25_us", times.p25},
      {"p75_us", times.p75},
      {"spread", times.spread},
      {"clock_mhz", known(std::round(timing.clock_mhz))},
      {"power_watts", known(std::round(timing.power_watts))},
      {"addresses", timing.addresses},
      {"rechecked", timing.rechecks.count}};
}

// Of a timing with many launches in a sample.
Json batch_json(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  Json json = timing_json(*timing);
  json["launches_per_sample"] = timing->launches_per_sample;
  json["graph"] = timing->graph;
  return json;
}

Json referee_json(const std::optional<RefereeVerdict>& watched) {
  if (!watched) return nullptr;
  Json kernels = Json::array();
  for (const RefereeVerdict::Kernel& kernel : watched->kernels) {
    kernels.push_back({{"name", kernel.name}, {"us", kernel.us}});
  }
  return {{"status", name_of(watched->status)},       {"reason", watched->reason},
          {"iterations", watched->iterations},        {"event_us", known(watched->event_us)},
          {"kernels_us", known(watched->kernels_us)}, {"kernels", kernels}};
}

Json bus_json(const std::optional<CounterResult>& counted) {
  if (!counted) return nullptr;
  const auto value = [&](const std::string& metric) {
    const auto found = counted->values.find(metric);
    return found == counted->values.end() ? Json(nullptr) : Json(found->second);
  };
  const std::vector<std::string> names = memory_metrics();
  return {{"read_bytes", value(names.at(0))},
          {"written_bytes", value(names.at(1))},
          {"reason", counted->reason}};
}

Json columns_of(const std::vector<TimeSample>& samples) {
  Json us = Json::array();
  Json clocks = Json::array();
  Json sets = Json::array();
  Json throttled = Json::array();
  Json foreign = Json::array();
  for (const TimeSample& sample : samples) {
    us.push_back(sample.us);
    clocks.push_back(known(sample.clock_mhz));
    sets.push_back(sample.set);
    throttled.push_back(sample.throttled);
    foreign.push_back(sample.foreign);
  }
  return {{"us", us},
          {"clock_mhz", clocks},
          {"set", sets},
          {"throttled", throttled},
          {"foreign", foreign}};
}

}  // namespace

Json workload_json(const MeasuredWorkload& one) {
  Json axes = Json::object();
  for (const auto& [name, value] : one.workload.axes) {
    axes[name] = value;
  }
  Json flops = Json::object();
  for (const auto& [name, value] : one.cost.flops) {
    flops[name] = value;
  }
  const double median_us = one.cold.times.median;
  Json json{{"name", one.workload.name},
            {"axes", axes},
            {"weight", one.workload.weight},
            {"data_sets", one.data_sets}};
  json.update(timing_json(one.cold));
  json.update({{"bytes", one.cost.bytes},
               {"flops", flops},
               {"bytes_per_second", one.cost.bytes / (median_us * 1e-6)},
               {"datasheet_us", known(one.limit.us)},
               {"sol_us", one.light ? Json(one.light->us) : Json(nullptr)},
               {"sol", one.light ? Json(one.light->us / median_us) : Json(nullptr)},
               {"bound", one.light ? Json(one.light->bound) : Json(nullptr)},
               {"hot", batch_json(one.hot)},
               {"rotating", batch_json(one.rotating)},
               {"referee", referee_json(one.watched)},
               {"bus", bus_json(one.counted)}});
  return json;
}

Json samples_json(const MeasuredWorkload& one) {
  const auto of = [](const std::optional<Timing>& timing) {
    return timing ? columns_of(timing->samples) : Json(nullptr);
  };
  return {{"name", one.workload.name},
          {"cold", columns_of(one.cold.samples)},
          {"hot", of(one.hot)},
          {"rotating", of(one.rotating)}};
}

namespace {

// That figures are of a GPU that was not this step's alone, of the first workload; else the
// workload whose samples lie furthest apart, if that is far: a machine that does other work at the
// same time gives such figures.
Json noise_json(const std::vector<MeasuredWorkload>& measured) {
  for (const MeasuredWorkload& one : measured) {
    if (!counts_foreign(one.cold.samples)) continue;
    return fmt::format(
        "another process computed on the GPU while workload '{}' was timed; measure again when it "
        "has gone",
        one.workload.name);
  }
  const auto worst = std::max_element(measured.begin(), measured.end(),
                                      [](const MeasuredWorkload& a, const MeasuredWorkload& b) {
                                        return a.cold.times.spread < b.cold.times.spread;
                                      });
  if (worst == measured.end() || worst->cold.times.spread <= k_noisy_spread) return nullptr;
  return fmt::format(
      "half of the samples of workload '{}' spread over {:.0f} % of their median (over "
      "{:.0f} % is noise); measure again on a machine that does nothing else",
      worst->workload.name, 100 * worst->cold.times.spread, 100 * k_noisy_spread);
}

}  // namespace

Json summary_json(const std::vector<MeasuredWorkload>& measured) {
  std::vector<double> times;
  std::vector<double> fractions;
  std::vector<double> weights;
  for (const MeasuredWorkload& one : measured) {
    times.push_back(one.cold.times.median);
    weights.push_back(one.workload.weight);
    if (one.light) {
      fractions.push_back(one.light->us / one.cold.times.median);
    }
  }
  const bool all_bounded = fractions.size() == times.size();
  return {{"time_us", weighted_geometric_mean(times, weights)},
          {"sol", all_bounded ? Json(weighted_geometric_mean(fractions, weights)) : Json(nullptr)},
          {"noise", noise_json(measured)}};
}

Json device_json(const DeviceDescription& device) {
  return {{"device", to_json(device)},
          {"mode", device.kind == "cpu" ? "wall" : "cold"},
          {"clocks", "as found"}};
}

Json setting_json(const DeviceDescription& device, const Ceilings& ceilings) {
  Json json = device_json(device);
  json["ceilings"] = Json::object();
  if (ceilings.roofs.empty()) {
    return json;
  }
  Json roofs = Json::object();
  for (const auto& [name, value] : ceilings.roofs) {
    roofs[name] = value.value;
  }
  json["ceilings"] = {
      {"roofs", roofs}, {"buffer_bytes", ceilings.buffer_bytes}, {"foreign", ceilings.foreign()}};
  return json;
}

}  // namespace kernelloop
