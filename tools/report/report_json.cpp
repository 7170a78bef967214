#include "report/report_json.hpp"

namespace kernelloop {
namespace {

template <typename Value>
Json known(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const ReportWorkload& one);
Json json_of(const ReportRung& rung);
Json json_of(const ReportKernel& kernel);
Json json_of(const ReportVersion& one);
Json json_of(const ReportBaseline& one);

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

Json json_of(const ReportWorkload& one) {
  return {{"name", one.name},
          {"weight", one.weight},
          {"median_us", one.median_us},
          {"interval_us", known(one.interval_us)},
          {"p25_us", known(one.p25_us)},
          {"p75_us", known(one.p75_us)},
          {"spread", known(one.spread)},
          {"samples", one.samples},
          {"set_aside", one.set_aside},
          {"throttling", known(one.throttling)},
          {"foreign", one.foreign},
          {"clock_mhz", known(one.clock_mhz)},
          {"power_watts", known(one.power_watts)},
          {"bytes", known(one.bytes)},
          {"bytes_per_second", known(one.bytes_per_second)},
          {"flops", one.flops},
          {"sol", known(one.sol)},
          {"bound", known(one.bound)},
          {"referee", known(one.referee)},
          {"bus_bytes", known(one.bus_bytes)},
          {"hot_us", known(one.hot_us)},
          {"rotating_us", known(one.rotating_us)}};
}

Json json_of(const ReportRung& rung) {
  return {{"name", rung.name},
          {"status", rung.status},
          {"reason", known(rung.reason)},
          {"cases", rung.cases}};
}

Json json_of(const ReportKernel& kernel) {
  return {{"name", kernel.name},
          {"registers", known(kernel.registers)},
          {"spill_store_bytes", known(kernel.spill_store_bytes)},
          {"spill_load_bytes", known(kernel.spill_load_bytes)},
          {"stack_bytes", known(kernel.stack_bytes)},
          {"static_shared_bytes", known(kernel.static_shared_bytes)}};
}

Json json_of(const ReportDigest& digest) {
  return {{"digest", digest.lines}, {"missing", known(digest.missing)}};
}

Json json_of(const ReportVersion& one) {
  return {{"version", one.version},
          {"mode", known(one.mode)},
          {"parent", known(one.parent)},
          {"language", known(one.language)},
          {"provider", known(one.provider)},
          {"model", known(one.model)},
          {"change", known(one.change)},
          {"status", one.outcome},
          {"failure", known(one.failure)},
          {"measured_by", known(one.measured_by)},
          {"source_sha256", known(one.source_sha256)},
          {"edited", one.edited},
          {"time_us", known(one.time_us)},
          {"sol", known(one.sol)},
          {"bound", known(one.bound)},
          {"speed_up", known(one.speed_up)},
          {"against_baseline", known(one.against_baseline)},
          {"tokens", {{"input", known(one.input_tokens)}, {"output", known(one.output_tokens)}}},
          {"cost_usd", known(one.cost_usd)},
          {"workloads", list_of(one.workloads)},
          {"rungs", list_of(one.rungs)},
          {"kernels", list_of(one.kernels)},
          {"counters", json_of(one.counters)},
          {"trace", json_of(one.trace)},
          {"diff", known(one.diff)}};
}

Json json_of(const ReportBaseline& one) {
  return {{"name", one.name},
          {"failure", known(one.failure)},
          {"time_us", known(one.time_us)},
          {"sol", known(one.sol)},
          {"ratio", known(one.ratio)},
          {"workloads", list_of(one.workloads)}};
}

Json json_of(const ReportCost& cost) {
  return {{"source", cost.source},
          {"requests", known(cost.requests)},
          {"tokens", {{"input", known(cost.input_tokens)}, {"output", known(cost.output_tokens)}}},
          {"usd", known(cost.usd)},
          {"unknown_cost", cost.unknown_cost}};
}

Json json_of(const std::optional<ReportComparison>& comparison) {
  if (!comparison) return nullptr;
  return {
      {"incumbent", comparison->incumbent},      {"challenger", comparison->challenger},
      {"verdict", comparison->verdict},          {"ratio", comparison->ratio},
      {"interval", known(comparison->interval)}, {"noise_floor", known(comparison->noise_floor)}};
}

// What the index shows of it.
Json shown_of(const Report& report) {
  const ReportVersion* shown = report.shown();
  if (shown == nullptr) return nullptr;
  return {
      {"version", shown->version},          {"time_us", known(shown->time_us)},
      {"sol", known(shown->sol)},           {"bound", known(shown->bound)},
      {"speed_up", known(shown->speed_up)}, {"against_baseline", known(shown->against_baseline)}};
}

}  // namespace

Json to_json(const Report& report) {
  return {{"schema_version", 1},
          {"op", report.op},
          {"description", known(report.description)},
          {"device",
           {{"kind", report.device_kind},
            {"name", report.device_name},
            {"architecture", known(report.architecture)},
            {"driver", known(report.driver)},
            {"multiprocessors", known(report.multiprocessors)},
            {"highest_clock_hz", known(report.highest_clock_hz)},
            {"datasheet_bandwidth", known(report.datasheet_bandwidth)}}},
          {"clocks", known(report.clocks)},
          {"rules",
           {{"verification", known(report.verification_rules)},
            {"measurement", known(report.measurement_rules)}}},
          {"roofs", report.roofs},
          {"source", report.from_build() ? "build" : "evidence"},
          {"evidence_sha256", known(report.evidence_sha256)},
          {"adopted", known(report.adopted)},
          {"shown", shown_of(report)},
          {"comparison", json_of(report.comparison)},
          {"state", known(report.state)},
          {"versions", list_of(report.versions)},
          {"baselines", list_of(report.baselines)},
          {"no_baselines", known(report.no_baselines)},
          {"cost", json_of(report.cost)}};
}

}  // namespace kernelloop
