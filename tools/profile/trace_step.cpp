#include "profile/trace_step.hpp"

#include "bench/workload_case.hpp"
#include "support/error.hpp"
#include "support/statistics.hpp"
#include "verify/case_data.hpp"

#include "profile/step_head.hpp"
#include "trace/chrome.hpp"
#include "trace/digest.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

constexpr const char* k_buffer = "kernelloop trace";  // no tensor can be called so

TraceReport without_trace(const TraceRequest& request, const std::string& status,
                          const std::string& reason) {
  return {step_head(request.plain, status, reason), "",
          fmt::format("{} {}: no trace: {}\n", request.plain.op, request.plain.version, reason)};
}

// The tensors of the op and the buffer that the kernels record into.
TensorArena with_buffer(const OpSpec& spec, const Bindings& axes, std::size_t bytes) {
  std::vector<TensorArena::Slot> slots = slots_of(spec, axes);
  slots.push_back({k_buffer, bytes, true, 256});
  return TensorArena(slots);
}

void copy_inputs(const OpSpec& spec, const TensorArena& from, const TensorArena& to) {
  for (const Tensor& input : spec.inputs) {
    if (input.scalar) continue;
    const std::span<std::byte> bytes = from.bytes(input.name);
    std::copy(bytes.begin(), bytes.end(), to.bytes(input.name).begin());
  }
}

// What recording costs: cold medians of both builds; null where it was not measured.
Json overhead_json(const TimeResult& plain, const std::vector<double>& traced_us) {
  std::vector<double> plain_us;
  for (const std::vector<TimeSample>& variant : plain.samples) {
    for (const TimeSample& sample : variant) plain_us.push_back(sample.us);
  }
  if (plain.fault || plain_us.empty() || traced_us.empty()) return nullptr;
  const double without = median(std::move(plain_us));
  const double with = median(traced_us);
  return {{"plain_us", without}, {"traced_us", with}, {"ratio", with / without}};
}

TimeResult time_plain(Worker& worker, int module, const ResolvedPlan& plan,
                      const TensorArena& arena) {
  TimeRequest timing;
  timing.sets = {&arena};
  timing.variants = {{module, plan}};
  timing.stop.max_samples = 40;
  timing.stop.budget = std::chrono::milliseconds(50);
  return worker.time(timing);
}

}  // namespace

TraceReport trace_version(const TraceRequest& request, Worker& worker) {
  const OpSpec& spec = *request.spec;
  if (std::string reason = reason_not_to_run(request.plain, request.verified, "cuda");
      !reason.empty()) {
    return without_trace(request, "skipped", reason);
  }
  if (request.traced.status != CompiledVersion::Status::compiled ||
      request.traced.availability != CompiledVersion::Availability::built) {
    return without_trace(request, "failed",
                         "its traced build does not compile: " + request.traced.reason);
  }
  if (request.traced.source_sha256 != request.plain.source_sha256) {
    fail(ExitCode::bad_input,
         "{} {}: the traced build is of another source than compile.json; build it again",
         request.plain.op, request.plain.version);
  }
  WorkloadCase one =
      prepare_workload(spec, workload_named(spec, "cuda", request.workload), "cuda", request.seed);
  auto planned = plan_for(one, spec, request.traced, worker.device().limits);
  if (const auto* reason = std::get_if<std::string>(&planned)) {
    return without_trace(request, "failed", *reason);
  }
  const ResolvedPlan& plan = std::get<ResolvedPlan>(planned);
  const TraceLayout layout = lay_out_trace(plan, request.buffer_bytes);
  const int plain = worker.load(artifact_for(request.plain, worker.device()));
  const int traced = worker.load(artifact_for(request.traced, worker.device()));
  const TimeResult times = time_plain(worker, plain, plan, one.sets.front());
  const TensorArena arena = with_buffer(spec, one.axes, layout.bytes);
  copy_inputs(spec, one.sets.front(), arena);
  RunRequest run;
  run.arena = &arena;
  run.plan = plan;
  run.trace = TraceBuffer{layout, k_buffer};
  const RunResult result = worker.run(run, traced);
  if (result.fault) {
    return without_trace(request, "failed",
                         fmt::format("{} in the traced build: {}", name_of(result.fault.kind),
                                     result.fault.message));
  }
  const double cycles_per_ns = worker.device().highest_clock_hz / 1e9;
  const std::vector<LaunchTrace> launches =
      decode_trace(layout, arena.bytes(k_buffer), trace_names(request.traced_ptx),
                   cycles_per_ns > 0 ? cycles_per_ns : 1.0);

  TraceReport report{step_head(request.plain, "traced"), chrome_trace(launches), ""};
  Json axes = Json::object();
  for (const auto& [name, value] : one.workload.axes) axes[name] = value;
  report.trace["device"] = to_json(worker.device());
  report.trace["workload"] = {{"name", one.workload.name}, {"axes", axes}};
  report.trace["layout"] = to_json(layout).at("launches");
  report.trace["launches"] = Json::array();
  const Json overhead = overhead_json(times, result.traced_us);
  report.trace["overhead"] = overhead;
  report.summary = fmt::format("{} {}, workload {}, traced build, cold\n", request.plain.op,
                               request.plain.version, one.workload.name);
  for (const LaunchTrace& launch : launches) {
    const LaunchDigest digest = digest_of(launch);
    report.trace["launches"].push_back(to_json(digest));
    report.summary += digest_text(digest);
  }
  if (!overhead.is_null()) {
    report.summary +=
        fmt::format("recording costs {:.1f} %: {:.2f} µs instead of {:.2f} µs\n",
                    100 * (overhead.at("ratio").get<double>() - 1),
                    overhead.at("traced_us").get<double>(), overhead.at("plain_us").get<double>());
  }
  report.trace["digest"] = report.summary;
  return report;
}

}  // namespace kernelloop
