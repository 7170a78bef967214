#include "report/nvbench.hpp"

#include "support/error.hpp"
#include "support/json_members.hpp"
#include "support/statistics.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

// nvbench writes numbers as text, so that none is rounded by a reader; what is not finite is null.
Json datum(const char* type, const Json& value) {
  return Json::array({{{"name", "value"}, {"type", type}, {"value", value}}});
}

Json count_summary(const char* tag, const char* name, const char* what, std::size_t count) {
  return {{"tag", tag},
          {"name", name},
          {"description", what},
          {"hint", "sample_size"},
          {"data", datum("int64", fmt::format("{}", count))}};
}

Json number_summary(const char* tag, const char* name, const char* what, const char* hint,
                    std::optional<double> value) {
  return {{"tag", tag},
          {"name", name},
          {"description", what},
          {"hint", hint},
          {"data",
           datum("float64", value && std::isfinite(*value) ? Json(fmt::format("{:.17g}", *value))
                                                           : Json(nullptr))}};
}

struct Moments {
  std::size_t count = 0;
  double mean = 0.0;
  std::optional<double> relative_stdev;  // of the sample; none for fewer than two
};

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  moments.count = values.size();
  for (const double value : values) moments.mean += value;
  moments.mean /= static_cast<double>(values.size());
  if (values.size() < 2) return moments;
  double squares = 0.0;
  for (const double value : values) squares += std::pow(value - moments.mean, 2);
  moments.relative_stdev =
      std::sqrt(squares / static_cast<double>(values.size() - 1)) / moments.mean;
  return moments;
}

// The samples that count, as bench.json says it: those that were neither throttled nor beside
// another's process, or those that had the GPU to themselves, or all.
struct Counted {
  std::vector<double> seconds;
  std::vector<double> clocks_hz;  // where they are known
};

Counted counted_of(const Json& columns, std::int64_t expected, const std::string& what) {
  Counted all;
  Counted alone;
  Counted calm;
  const Json& times = list_member(columns, "us");
  const Json& throttled = list_member(columns, "throttled");
  const Json& foreign = list_member(columns, "foreign");
  const Json& clocks = list_member(columns, "clock_mhz");
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool held_back = i < throttled.size() && throttled[i] == true;
    const bool shared = i < foreign.size() && foreign[i] == true;
    for (Counted* counted : {&all, &alone, &calm}) {
      if (shared && counted != &all) continue;
      if (held_back && counted == &calm) continue;
      counted->seconds.push_back(times[i].get<double>() * 1e-6);
      if (i < clocks.size() && clocks[i].is_number()) {
        counted->clocks_hz.push_back(clocks[i].get<double>() * 1e6);
      }
    }
  }
  for (const Counted& counted : {calm, alone, all}) {
    const auto count = static_cast<std::int64_t>(counted.seconds.size());
    if (count > 0 && count == expected) return counted;
  }
  fail(ExitCode::bad_input,
       "samples.json has {} samples of {}, {} of them undisturbed, but bench.json counts {}; time "
       "the version again",
       all.seconds.size(), what, calm.seconds.size(), expected);
}

// What nvbench says of isolated launches.
void add_cold(const Counted& counted, Json& summaries) {
  const Moments moments = moments_of(counted.seconds);
  const Summary order = summarize(counted.seconds);
  const auto add = [&](const char* tag, const char* name, const char* what, const char* hint,
                       std::optional<double> value) {
    summaries.push_back(number_summary(tag, name, what, hint, value));
  };
  summaries.push_back(count_summary("nv/cold/sample_size", "Samples",
                                    "Number of isolated kernel executions", moments.count));
  add("nv/cold/time/gpu/mean", "GPU Time", "Mean of isolated launches, between CUDA events",
      "duration", moments.mean);
  add("nv/cold/time/gpu/stdev/relative", "Noise", "Relative standard deviation of the same",
      "percentage", moments.relative_stdev);
  add("nv/cold/time/gpu/min", "Min GPU Time", "Least of the same", "duration", order.min);
  add("nv/cold/time/gpu/max", "Max GPU Time", "Greatest of the same", "duration",
      quantile(counted.seconds, 1.0));
  add("nv/cold/time/gpu/q1", "Q1 GPU Time", "First quartile of the same", "duration", order.p25);
  add("nv/cold/time/gpu/median", "Median GPU Time", "Median of the same", "duration", order.median);
  add("nv/cold/time/gpu/q3", "Q3 GPU Time", "Third quartile of the same", "duration", order.p75);
  if (!counted.clocks_hz.empty()) {
    add("nv/cold/sm_clock_rate/mean", "Clock Rate", "Mean clock of a multiprocessor meanwhile",
        "frequency", moments_of(counted.clocks_hz).mean);
  }
}

Json axis_values_of(const Json& axes) {
  Json values = Json::array();
  for (const auto& [name, value] : axes.items()) {
    values.push_back({{"name", name}, {"type", "int64"}, {"value", value.dump()}});
  }
  return values;
}

std::string state_name(const Json& axes) {
  std::string text = "Device=0";
  for (const auto& [name, value] : axes.items()) text += fmt::format(" {}={}", name, value.dump());
  return text;
}

Json summaries_of(const Json& workload, const Json& samples, const Json& device) {
  const std::string name = text_member(workload, "name");
  const Counted cold =
      counted_of(member(samples, "cold"), count_member(workload, "samples").value_or(0), name);
  const double mean = moments_of(cold.seconds).mean;
  Json summaries = Json::array();
  add_cold(cold, summaries);
  const auto bytes = number_member(workload, "bytes");
  const auto peak = number_member(device, "datasheet_bandwidth");
  if (bytes && *bytes > 0) {
    summaries.push_back(number_summary("nv/cold/bw/global/bytes_per_second", "GlobalMem BW",
                                       "Bytes that the op must move, per second", "byte_rate",
                                       *bytes / mean));
    if (peak && *peak > 0) {
      summaries.push_back(number_summary("nv/cold/bw/global/utilization", "BWUtil",
                                         "The same over the bandwidth of the datasheet",
                                         "percentage", *bytes / mean / *peak));
    }
  }
  const Json& hot = member(workload, "hot");
  if (const auto launches = count_member(hot, "launches_per_sample"); launches && *launches > 0) {
    const Moments batch = moments_of(
        counted_of(member(samples, "hot"), count_member(hot, "samples").value_or(0), name + ", hot")
            .seconds);
    summaries.push_back(count_summary("nv/batch/sample_size", "Samples",
                                      "Number of batch kernel executions",
                                      batch.count * static_cast<std::size_t>(*launches)));
    summaries.push_back(number_summary("nv/batch/time/gpu/mean", "Batch GPU",
                                       "Mean batch kernel execution time (measured by CUDA events)",
                                       "duration", batch.mean));
  }
  return summaries;
}

Json states_of(const Json& measured, const Json& samples) {
  Json states = Json::array();
  const Json& columns = list_member(samples, "workloads");
  for (const Json& workload : list_member(measured, "workloads")) {
    const Json* own = nullptr;
    for (const Json& one : columns) {
      if (text_member(one, "name") == text_member(workload, "name")) own = &one;
    }
    if (own == nullptr) {
      fail(ExitCode::bad_input, "samples.json has no workload {}; time the version again",
           text_member(workload, "name"));
    }
    const Json& axes = member(workload, "axes");
    states.push_back({{"name", state_name(axes)},
                      {"device", 0},
                      {"type_config_index", 0},
                      {"axis_values", axis_values_of(axes)},
                      {"summaries", summaries_of(workload, *own, member(measured, "device"))},
                      {"is_skipped", false}});
  }
  return states;
}

// Each axis with the values that workloads give it, in the order of their first use.
Json axes_of(const Json& measured) {
  Json axes = Json::array();
  for (const Json& workload : list_member(measured, "workloads")) {
    for (const auto& [name, value] : member(workload, "axes").items()) {
      Json* axis = nullptr;
      for (Json& known : axes) {
        if (known.at("name") == name) axis = &known;
      }
      if (axis == nullptr) {
        axes.push_back(
            {{"name", name}, {"type", "int64"}, {"flags", ""}, {"values", Json::array()}});
        axis = &axes.back();
      }
      Json entry = {{"input_string", value.dump()}, {"description", ""}, {"value", value}};
      Json& values = axis->at("values");
      bool known = false;
      for (const Json& one : values) known = known || one == entry;
      if (!known) values.push_back(std::move(entry));
    }
  }
  return axes;
}

Json device_of_nvbench(const Json& device) {
  Json json = {{"id", 0}, {"name", text_member(device, "name")}};
  const std::string architecture = text_member(device, "architecture");  // "sm_90"
  if (architecture.starts_with("sm_") && architecture.size() > 3 &&
      architecture.find_first_not_of("0123456789", 3) == std::string::npos) {
    json["sm_version"] = std::stoi(architecture.substr(3)) * 10;
  }
  const auto copy = [&](const char* to, const char* from) {
    if (const auto value = count_member(device, from)) json[to] = *value;
  };
  copy("number_of_sms", "multiprocessors");
  copy("global_memory_size", "memory_bytes");
  copy("global_memory_bus_bandwidth", "datasheet_bandwidth");
  copy("l2_cache_size", "l2_bytes");
  copy("sm_default_clock_rate", "highest_clock_hz");
  return json;
}

}  // namespace

Json nvbench_json(const Json& measured, const Json& samples) {
  if (text_member(member(measured, "device"), "kind") == "cpu") {
    fail(ExitCode::bad_input,
         "{}: it was timed on the CPU device: wall times of an emulation, which nvbench's files "
         "would "
         "call GPU times; time it on a GPU",
         text_member(measured, "op"));
  }
  const Json version{{"major", 1}, {"minor", 0}, {"patch", 0}, {"string", "1.0.0"}};
  return {{"meta",
           {{"argv", {"kernelloop", "report", text_member(measured, "op"), "--nvbench"}},
            {"version", {{"json", version}}}}},
          {"devices", Json::array({device_of_nvbench(member(measured, "device"))})},
          {"benchmarks", Json::array({{{"name", text_member(measured, "op")},
                                       {"index", 0},
                                       {"devices", {0}},
                                       {"axes", axes_of(measured)},
                                       {"states", states_of(measured, samples)}}})}};
}

Json nvbench_of(const OpConfig& config, int version) {
  const auto directory = config.step_dir(version);
  const Json measured = read_json_if_there(directory / "bench.json");
  const Json samples = read_json_if_there(directory / "samples.json");
  if (text_member(measured, "status") != "measured" || samples.is_null()) {
    fail(ExitCode::bad_input, "{0}: {1} has no timing samples in {2}; build bench_{0} first",
         config.op, version_name(version), directory.string());
  }
  return nvbench_json(measured, samples);
}

}  // namespace kernelloop
