#include "bench/measured_workload.hpp"

#include "support/stopwatch.hpp"
#include "verify/output_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

std::string fault_text(const Fault& fault, std::string_view when) {
  return fmt::format("{} {}: {}", name_of(fault.kind), when, fault.message);
}

// Whether the outputs of the last timed launch hold; empty, or what is wrong with them.
std::string check_outputs(const BenchRequest& request, const WorkloadCase& one,
                          const OutputSnapshot& fresh) {
  const auto difference = fresh.first_difference(one.arena);
  if (!difference) {
    return {};
  }
  if (!request.judge) {
    return fmt::format(
        "the last timed launch left another result than a run by itself, first at {}{}",
        difference->output, difference->index);
  }
  const std::optional<std::string> wrong = request.judge(one);
  return wrong ? "the last timed launch left a wrong result: " + *wrong : std::string();
}

std::string check_times(const std::vector<double>& samples_us, const PhysicalLimit& limit,
                        const DeviceDescription& device) {
  if (samples_us.empty()) {
    return "the device returned no sample";
  }
  if (*std::min_element(samples_us.begin(), samples_us.end()) <= 0) {
    return "a sample of no time at all: nothing ran";
  }
  const double time = median(samples_us);
  if (time < limit.us) {
    return fmt::format(
        "impossible: {} is faster than {} allows: {} for {}; the kernel did not do what the op "
        "must do, or `cost` in op.json is too high",
        time_text(time), device.name, time_text(limit.us), limit.reason);
  }
  return {};
}

}  // namespace

TimeRequest timing_settings(const std::string& device) {
  TimeRequest request;
  if (device == "cpu") {
    request.flush_l2 = false;
    request.warmup = 1;
    request.min_samples = 5;
    request.max_samples = 20;
  }
  return request;
}

std::variant<MeasuredWorkload, std::string> measure_workload(const BenchRequest& request,
                                                             const Workload& workload,
                                                             TimingDevice& device, int module,
                                                             const Ceilings& ceilings,
                                                             std::optional<TensorArena>& memory) {
  MeasuredWorkload result;
  WorkloadCase one = timed(result.spent.prepare, [&] {
    return prepare_workload(*request.spec, workload, request.seed,
                            std::exchange(memory, std::nullopt));
  });
  auto planned = plan_for(one, *request.spec, request.compiled, device.device().limits);
  if (const auto* reason = std::get_if<std::string>(&planned)) {
    return *reason;
  }
  const ResolvedPlan& plan = std::get<ResolvedPlan>(planned);

  // Another poison than verification's, so that an element that is never written shows.
  RunRequest run;
  run.arena = &one.arena;
  run.plan = plan;
  run.poison = Poison::noise(request.seed);
  const RunResult fresh_run = timed(result.spent.check, [&] { return device.run(run, module); });
  if (fresh_run.fault) {
    return fault_text(fresh_run.fault, "before timing");
  }
  if (!fresh_run.changed_inputs.empty()) {
    return fmt::format("it changed the input '{}'", fresh_run.changed_inputs.front());
  }
  const OutputSnapshot fresh(*request.spec, one.axes, one.arena);

  TimeRequest timing = timing_settings(request.device);
  timing.arena = &one.arena;
  timing.variants = {{module, plan}};
  TimeResult times = timed(result.spent.timing, [&] { return device.time(timing); });
  if (times.fault) {
    return fault_text(times.fault, "while it was timed");
  }
  result.workload = workload;
  if (!times.samples_us.empty()) {
    result.samples_us = std::move(times.samples_us.front());
  }
  result.clock_mhz = std::move(times.clock_mhz);
  result.cost = cost_of(*request.spec, one.axes);
  const double clock_mhz = result.clock_mhz.empty() ? 0.0 : median(result.clock_mhz);
  if (request.device != "cpu") {
    result.limit = physical_limit(*request.spec, one.axes, result.cost, device.device(), clock_mhz);
  }
  if (std::string wrong = check_times(result.samples_us, result.limit, device.device());
      !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong =
          timed(result.spent.check, [&] { return check_outputs(request, one, fresh); });
      !wrong.empty()) {
    return wrong;
  }
  result.times = summarize(result.samples_us);
  if (request.device != "cpu") {
    result.sol_us = speed_of_light_us(result.cost, ceilings);
  }
  memory = std::move(one.arena);
  return result;
}

}  // namespace kernelloop
