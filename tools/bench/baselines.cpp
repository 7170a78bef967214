#include "bench/baselines.hpp"

#include "bench/bench_json.hpp"
#include "bench/rules.hpp"
#include "bench/workload_feed.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <map>

namespace kernelloop {
namespace {

Json bench_one(const BaselinesRequest& request, const std::filesystem::path& library,
               const Ceilings& ceilings, TimingDevice& device) {
  const std::string name = baseline_name(library);
  const Contestant contestant = baseline_contestant(name, library, *request.spec);
  MeasureRequest measure;
  measure.spec = request.spec;
  measure.contestant = &contestant;
  measure.device = request.device;
  measure.seed = request.seed;
  measure.judge = request.judge;
  measure.judge_always = true;
  const int module = device.load(contestant.artifact);
  Json report{{"name", name}, {"status", "measured"}, {"reason", ""}};
  Json workloads = Json::array();
  std::vector<MeasuredWorkload> measured;
  WorkloadFeed feed(*request.spec, request.spec->workloads_for(request.device), request.device,
                    request.seed, request.device != "cpu");
  while (!feed.empty()) {
    WorkloadFeed::Ready ready = feed.take();
    auto result = measure_workload(measure, ready.one, device, module, ceilings);
    if (const auto* reason = std::get_if<std::string>(&result)) {
      report["status"] = "failed";
      report["reason"] = fmt::format("workload '{}': {}", ready.one.workload.name, *reason);
      return report;
    }
    measured.push_back(std::get<MeasuredWorkload>(std::move(result)));
    feed.give_back(std::move(ready.one));
    workloads.push_back(workload_json(measured.back()));
  }
  if (measured.empty()) {
    report["status"] = "failed";
    report["reason"] =
        fmt::format("{} has no workload for the {} device", request.spec->name, request.device);
    return report;
  }
  report["workloads"] = std::move(workloads);
  report["summary"] = summary_json(measured);
  return report;
}

// A target's library may be called as a file's is, which CMake cannot know.
void require_different_names(const std::vector<std::filesystem::path>& libraries) {
  std::map<std::string, std::filesystem::path> names;
  for (const std::filesystem::path& library : libraries) {
    const auto [first, is_new] = names.try_emplace(baseline_name(library), library);
    if (!is_new) {
      fail(ExitCode::bad_input,
           "two baselines are called '{}': {} and {}; give one library another name "
           "(OUTPUT_NAME of its target)",
           first->first, first->second.string(), library.string());
    }
  }
}

}  // namespace

std::string baseline_name(const std::filesystem::path& library) { return library.stem().string(); }

Json bench_baselines(const BaselinesRequest& request, TimingDevice& device) {
  require_different_names(request.libraries);
  const Ceilings ceilings = ceilings_of(device, request.cache_dir);
  Json report{{"schema_version", 1},
              {"op", request.spec->name},
              {"rules", k_measurement_rules},
              {"baselines", Json::array()}};
  report.update(setting_json(device.device(), ceilings));
  for (const std::filesystem::path& library : request.libraries) {
    report["baselines"].push_back(bench_one(request, library, ceilings, device));
  }
  return report;
}

std::string baselines_text(const Json& report) {
  std::string text;
  for (const Json& one : report.at("baselines")) {
    const std::string who = fmt::format("{} baseline {}", report.at("op").get<std::string>(),
                                        one.at("name").get<std::string>());
    text += one.at("status") == "measured"
                ? fmt::format("{}  {}{}\n", who,
                              time_text(one.at("summary").at("time_us").get<double>()),
                              report.at("mode") == "wall" ? " wall on the CPU device" : "")
                : fmt::format("{}  is none: {}\n", who, one.at("reason").get<std::string>());
  }
  return text;
}

}  // namespace kernelloop
