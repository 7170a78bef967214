#include "profile/profile_step.hpp"

#include "bench/ceilings.hpp"
#include "bench/workload_case.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"
#include "support/text.hpp"
#include "verify/case_data.hpp"

#include "counters/digest.hpp"
#include "counters/ncu_csv.hpp"
#include "profile/step_head.hpp"

#include <algorithm>
#include <iterator>

namespace kernelloop {
namespace {

constexpr std::size_t k_most_lines = 30;

CounterContext context_of(const ProfileRequest& request, const WorkloadCase& one,
                          const ResolvedPlan& plan, const DeviceDescription& device) {
  CounterContext context;
  context.minimum_bytes = cost_of(*request.spec, one.axes).bytes;
  context.output_bytes = total_bytes(request.spec->outputs, one.axes);
  context.l2_bytes = static_cast<double>(device.l2_bytes);
  context.multiprocessors = device.multiprocessors;
  for (const ResolvedLaunch& launch : plan.launches) {
    context.blocks = std::max(
        context.blocks, static_cast<double>(launch.grid[0] * launch.grid[1] * launch.grid[2]));
  }
  context.copy_bytes_per_second =
      number_member(member(member(request.measured, "ceilings"), "roofs"), "copy").value_or(0);
  for (const Json& workload : list_member(request.measured, "workloads")) {
    if (text_member(workload, "name") != one.workload.name) continue;
    context.time_us = number_member(workload, "median_us").value_or(0);
  }
  return context;
}

// What ncu says of the run, one way or the other.
struct Ncu {
  std::string version;
  std::string reason;  // why it says nothing
  std::vector<NcuKernel> kernels;
};

Ncu look_with_ncu(const ProfileRequest& request, const RunRequest& run, Worker& worker,
                  int module) {
  Ncu ncu;
  if (!request.ncu_csv.empty()) {
    ncu.kernels = read_ncu_csv(request.ncu_csv);
    return ncu;
  }
  const NcuResult result = worker.profile(run, module);
  ncu.version = result.version;
  ncu.reason = result.reason;
  if (!ncu.reason.empty()) return ncu;
  try {
    for (const std::string& text : {result.raw, result.details}) {
      for (NcuKernel& kernel : read_ncu_csv(text)) ncu.kernels.push_back(std::move(kernel));
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::bad_input) throw;
    ncu.kernels.clear();
    ncu.reason = error.what();
  }
  return ncu;
}

// The rules that advise something, the most promising first.
std::vector<NcuRule> advice(const std::vector<NcuKernel>& kernels) {
  std::vector<NcuRule> rules;
  for (const NcuKernel& kernel : kernels) {
    std::copy_if(kernel.rules.begin(), kernel.rules.end(), std::back_inserter(rules),
                 [](const NcuRule& rule) { return rule.type != "INF"; });
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const NcuRule& a, const NcuRule& b) { return a.speedup > b.speedup; });
  return rules;
}

// In the room that is left.
void add_rules(const std::vector<NcuRule>& rules, std::vector<std::string>& lines) {
  constexpr std::size_t k_length = 240;
  for (const NcuRule& rule : rules) {
    if (lines.size() == k_most_lines) return;
    lines.push_back(
        fmt::format("ncu {}{}: {}", rule.section,
                    rule.speedup > 0 ? fmt::format(" (est. {:.0f} %)", rule.speedup) : "",
                    shortened(rule.description, k_length)));
  }
}

Json ncu_json(const Ncu& ncu, const std::vector<NcuRule>& rules) {
  Json list = Json::array();
  for (const NcuRule& rule : rules) {
    list.push_back({{"section", rule.section},
                    {"type", rule.type},
                    {"description", rule.description},
                    {"speedup_type", rule.speedup_type},
                    {"speedup", rule.speedup}});
  }
  return {{"version", ncu.version}, {"reason", ncu.reason}, {"rules", list}};
}

// What ncu counted under the names that the digest knows: of the longest kernel, where CUPTI could
// not count.
MetricValues longest_kernel(const std::vector<NcuKernel>& kernels) {
  constexpr const char* k_time = "gpu__time_duration.sum";
  const NcuKernel* longest = nullptr;
  for (const NcuKernel& kernel : kernels) {
    const auto time = kernel.metrics.find(k_time);
    if (time == kernel.metrics.end()) continue;
    if (longest == nullptr || time->second > longest->metrics.at(k_time)) longest = &kernel;
  }
  MetricValues values;
  if (longest == nullptr) return values;
  for (const Metric& metric : all_metrics()) {
    const auto found = longest->metrics.find(std::string(metric.name));
    if (found != longest->metrics.end()) values[found->first] = found->second;
  }
  return values;
}

}  // namespace

Json profile_version(const ProfileRequest& request, Worker& worker) {
  const OpSpec& spec = *request.spec;
  if (const std::string reason = reason_not_to_run(request.compiled, request.verified, "cuda");
      !reason.empty()) {
    return step_head(request.compiled, "skipped", reason);
  }
  const WorkloadCase one =
      prepare_workload(spec, workload_named(spec, "cuda", request.workload), "cuda", request.seed);
  auto planned = plan_for(one, spec, request.compiled, worker.device().limits);
  if (const auto* reason = std::get_if<std::string>(&planned)) {
    return step_head(request.compiled, "failed", *reason);
  }
  const ResolvedPlan& plan = std::get<ResolvedPlan>(planned);
  RunRequest run;
  run.arena = &one.sets.front();
  run.plan = plan;
  run.count = all_metric_names();
  run.outputs = false;
  const int module = worker.load(artifact_for(request.compiled, worker.device()));
  const RunResult result = worker.run(run, module);
  if (result.fault) {
    return step_head(
        request.compiled, "failed",
        fmt::format("{} while counting: {}", name_of(result.fault.kind), result.fault.message));
  }
  const Ncu ncu = look_with_ncu(request, run, worker, module);
  const std::vector<NcuRule> rules = advice(ncu.kernels);
  const CounterResult& counted = result.counters;
  const bool by_cupti = !counted.values.empty();
  const MetricValues values = by_cupti ? counted.values : longest_kernel(ncu.kernels);
  const CounterContext context = context_of(request, one, plan, worker.device());
  CounterDigest digest = digest_counters(values, context);
  add_rules(rules, digest.lines);

  Json json = step_head(request.compiled, values.empty() ? "unavailable" : "profiled",
                        by_cupti ? "" : counted.reason);
  json["device"] = to_json(worker.device());
  Json axes = Json::object();
  for (const auto& [name, value] : one.workload.axes) axes[name] = value;
  json["workload"] = {{"name", one.workload.name}, {"axes", axes}};
  json["source"] = by_cupti ? "cupti" : values.empty() ? "" : "ncu";
  json["chip"] = counted.chip;
  json["passes"] = counted.passes;
  json["metrics"] = values;
  json["ncu"] = ncu_json(ncu, rules);
  json["minimum_bytes"] = context.minimum_bytes;
  json["bound"] = name_of(digest.bound);
  const auto missing = work_not_done(values, context);
  json["work_done"] = !missing.has_value();
  json["digest"] = values.empty() ? std::vector<std::string>{} : digest.lines;
  return json;
}

std::string profile_text(const Json& profile) {
  const std::string head = text_member(profile, "op") + " " + text_member(profile, "version");
  std::string text;
  for (const Json& line : list_member(profile, "digest")) text += line.get<std::string>() + "\n";
  if (text.empty()) {
    return fmt::format("{}: no profile: {}\n", head, text_member(profile, "reason"));
  }
  return fmt::format("{}, workload {}, cold, counted by {}\n", head,
                     text_member(member(profile, "workload"), "name"),
                     text_member(profile, "source")) +
         text;
}

}  // namespace kernelloop
