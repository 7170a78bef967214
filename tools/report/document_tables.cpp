#include "report/document_tables.hpp"

#include "device/roof.hpp"
#include "report/cells.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace kernelloop {
namespace {

std::string origin_of(const ReportVersion& one) {
  std::string text = one.mode.empty() ? one.provider : one.mode;
  if (!one.parent.empty()) text += " of " + one.parent;
  if (!one.language.empty()) text += " in " + one.language;
  return text;
}

std::string verdict_of(const Report& report, const ReportVersion& one) {
  std::string text = one.outcome == "not_measured" ? "not measured here" : one.outcome;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (one.edited) text += ", of an earlier source";
  if (one.version == report.adopted) text += ", adopted";
  return text;
}

std::string interval_text(const std::optional<std::array<double, 2>>& interval) {
  if (!interval) return {};
  return fmt::format("{} to {}", duration_text((*interval)[0]), duration_text((*interval)[1]));
}

std::string quartiles_text(const ReportWorkload& one) {
  if (!one.p25_us || !one.p75_us) return {};
  return fmt::format("{} to {}", duration_text(*one.p25_us), duration_text(*one.p75_us));
}

std::string set_aside_text(const ReportWorkload& one) {
  std::string why = one.throttling;
  if (one.foreign > 0) {
    why += fmt::format("{}{} beside another process", why.empty() ? "" : ", ", one.foreign);
  }
  if (!why.empty()) why = " (" + why + ")";
  if (one.set_aside > 0)
    return fmt::format("{}, and {} set aside{}", one.samples, one.set_aside, why);
  return fmt::format("{}{}", one.samples, one.foreign > 0 ? why : "");
}

void add_points(const std::string& name, const std::vector<ReportWorkload>& workloads,
                const std::string& pointer, Table& table) {
  for (std::size_t w = 0; w < workloads.size(); ++w) {
    const ReportWorkload& one = workloads[w];
    const std::string place = fmt::format("{}/workloads/{}", pointer, w);
    const double flops = one.all_flops();
    table.rows.push_back(
        {{name},
         {one.name},
         {one.bytes && flops > 0 ? fmt::format("{:.3g}", flops / *one.bytes) : "–"},
         rate_cell(flops > 0 ? std::optional(flops / (one.median_us * 1e-6)) : std::nullopt,
                   "op/s"),
         rate_cell(one.bytes_per_second, "B/s", place + "/bytes_per_second"),
         duration_cell(one.median_us, place + "/median_us")});
  }
}

}  // namespace

Table versions_table(const Report& report) {
  Table table{
      "Versions, oldest first",
      {"version", "came about as", "verdict", report.on_cpu() ? "wall time" : "time", "speed-up",
       "against best baseline", "speed of light", "bound", "what changed, in its author's words"},
      {}};
  for (std::size_t v = 0; v < report.versions.size(); ++v) {
    const ReportVersion& one = report.versions[v];
    const std::string place = fmt::format("/versions/{}", v);
    table.rows.push_back({{one.version},
                          text_cell(origin_of(one)),
                          {verdict_of(report, one)},
                          duration_cell(one.time_us, place + "/time_us"),
                          factor_cell(one.speed_up, place + "/speed_up"),
                          factor_cell(one.against_baseline, place + "/against_baseline"),
                          percent_cell(one.sol, place + "/sol"),
                          text_cell(one.bound),
                          text_cell(one.failure.empty() ? one.change : one.failure)});
  }
  return table;
}

Table baselines_table(const Report& report) {
  const ReportVersion* shown = report.shown();
  Table table{"Baselines",
              {"baseline", "time",
               fmt::format("over the time of {}", shown == nullptr ? "a version" : shown->version),
               "speed of light", "note"},
              {}};
  for (std::size_t b = 0; b < report.baselines.size(); ++b) {
    const ReportBaseline& one = report.baselines[b];
    const std::string place = fmt::format("/baselines/{}", b);
    table.rows.push_back({{one.name},
                          duration_cell(one.time_us, place + "/time_us"),
                          factor_cell(one.ratio, place + "/ratio"),
                          percent_cell(one.sol, place + "/sol"),
                          text_cell(one.failure)});
  }
  return table;
}

Table baseline_workloads_table(const Report& report) {
  Table table{"Workloads of the baselines",
              {"baseline", "workload", "median", "95 % of the median", "spread", "samples"},
              {}};
  for (std::size_t b = 0; b < report.baselines.size(); ++b) {
    const ReportBaseline& baseline = report.baselines[b];
    for (std::size_t w = 0; w < baseline.workloads.size(); ++w) {
      const ReportWorkload& one = baseline.workloads[w];
      const std::string place = fmt::format("/baselines/{}/workloads/{}", b, w);
      table.rows.push_back({{baseline.name},
                            {one.name},
                            duration_cell(one.median_us, place + "/median_us"),
                            text_cell(interval_text(one.interval_us)),
                            percent_cell(one.spread, place + "/spread"),
                            {set_aside_text(one), place + "/samples"}});
    }
  }
  return table;
}

Table workloads_table(const Report& report, std::size_t version) {
  const ReportVersion& shown = report.versions[version];
  Table table{fmt::format("Workloads of {}{}", shown.version,
                          report.on_cpu() ? ", wall time of the emulation" : ", cold L2"),
              {"workload", "weight", "median", "95 % of the median", "25 % to 75 %", "spread",
               "samples", "clock", "power", "bytes/s", "speed of light", "bound", "referee",
               "bytes on the bus", "hot", "rotating"},
              {}};
  for (std::size_t w = 0; w < shown.workloads.size(); ++w) {
    const ReportWorkload& one = shown.workloads[w];
    const std::string place = fmt::format("/versions/{}/workloads/{}", version, w);
    table.rows.push_back({{one.name},
                          {fmt::format("{:g}", one.weight), place + "/weight"},
                          duration_cell(one.median_us, place + "/median_us"),
                          text_cell(interval_text(one.interval_us)),
                          text_cell(quartiles_text(one)),
                          percent_cell(one.spread, place + "/spread"),
                          {set_aside_text(one), place + "/samples"},
                          whole_cell(one.clock_mhz, "MHz", place + "/clock_mhz"),
                          whole_cell(one.power_watts, "W", place + "/power_watts"),
                          rate_cell(one.bytes_per_second, "B/s", place + "/bytes_per_second"),
                          percent_cell(one.sol, place + "/sol"),
                          text_cell(one.bound),
                          text_cell(one.referee),
                          whole_cell(one.bus_bytes, "B", place + "/bus_bytes"),
                          duration_cell(one.hot_us, place + "/hot_us"),
                          duration_cell(one.rotating_us, place + "/rotating_us")});
  }
  return table;
}

Table roofs_table(const Report& report) {
  Table table{"Roofs, measured on this device", {"roof", "at most", "of"}, {}};
  for (const auto& [name, value] : report.roofs) {
    const Roof* roof = find_roof(name);
    if (value == 0 || roof == nullptr) continue;
    const std::string place = "/roofs/" + name;
    table.rows.push_back(
        {{name},
         roof->unit == Roof::Unit::seconds
             ? duration_cell(value * 1e6, place)
             : rate_cell(value, roof->unit == Roof::Unit::bytes ? "B/s" : "op/s", place),
         {roof->what}});
  }
  return table;
}

Table roofline_table(const Report& report) {
  Table table{
      "Points of the roofline",
      {"version or baseline", "workload", "operations per byte", "operations", "bytes/s", "median"},
      {}};
  for (std::size_t v = 0; v < report.versions.size(); ++v) {
    add_points(report.versions[v].version, report.versions[v].workloads,
               fmt::format("/versions/{}", v), table);
  }
  for (std::size_t b = 0; b < report.baselines.size(); ++b) {
    add_points(report.baselines[b].name, report.baselines[b].workloads,
               fmt::format("/baselines/{}", b), table);
  }
  return table;
}

Table ladder_table(const Report& report) {
  Table table{"Verdict of each rung, and its cases", {"rung"}, {}};
  std::vector<const ReportVersion*> measured;
  for (const ReportVersion& one : report.versions) {
    if (one.rungs.empty()) continue;
    measured.push_back(&one);
    table.columns.push_back(one.version);
    for (const ReportRung& rung : one.rungs) {
      const auto known =
          std::find_if(table.rows.begin(), table.rows.end(),
                       [&](const std::vector<Cell>& row) { return row.front().text == rung.name; });
      if (known == table.rows.end()) table.rows.push_back({{rung.name}});
    }
  }
  for (std::vector<Cell>& row : table.rows) {
    for (const ReportVersion* one : measured) {
      const auto rung =
          std::find_if(one->rungs.begin(), one->rungs.end(),
                       [&](const ReportRung& r) { return r.name == row.front().text; });
      if (rung == one->rungs.end()) {
        row.push_back({"not reached"});
      } else {
        row.push_back({fmt::format("{}{}", rung->status,
                                   rung->cases > 0 ? fmt::format(" ({})", rung->cases) : "")});
      }
    }
  }
  return table;
}

Table resources_table(const Report& report, std::size_t version) {
  const ReportVersion& shown = report.versions[version];
  Table table{
      fmt::format("Resources of the kernels of {}, bytes of each thread or block", shown.version),
      {"kernel", "registers", "spill stores", "spill loads", "stack", "static shared"},
      {}};
  for (std::size_t k = 0; k < shown.kernels.size(); ++k) {
    const ReportKernel& one = shown.kernels[k];
    const std::string place = fmt::format("/versions/{}/kernels/{}", version, k);
    table.rows.push_back({{one.name},
                          count_cell(one.registers, place + "/registers"),
                          count_cell(one.spill_store_bytes, place + "/spill_store_bytes"),
                          count_cell(one.spill_load_bytes, place + "/spill_load_bytes"),
                          count_cell(one.stack_bytes, place + "/stack_bytes"),
                          count_cell(one.static_shared_bytes, place + "/static_shared_bytes")});
  }
  return table;
}

Table cost_table_of(const Report& report) {
  Table table{"Tokens and money",
              {"version", "provider", "model", "input tokens", "output tokens", "cost"},
              {}};
  for (std::size_t v = 0; v < report.versions.size(); ++v) {
    const ReportVersion& one = report.versions[v];
    const std::string place = fmt::format("/versions/{}", v);
    table.rows.push_back({{one.version},
                          text_cell(one.provider),
                          text_cell(one.model),
                          count_cell(one.input_tokens, place + "/tokens/input"),
                          count_cell(one.output_tokens, place + "/tokens/output"),
                          money_cell(one.cost_usd, place + "/cost_usd")});
  }
  table.rows.push_back({{"in all"},
                        {"–"},
                        {"–"},
                        count_cell(report.cost.input_tokens, "/cost/tokens/input"),
                        count_cell(report.cost.output_tokens, "/cost/tokens/output"),
                        money_cell(report.cost.usd, "/cost/usd")});
  return table;
}

Table device_table(const Report& report) {
  Table table{"Device and rules", {"property", "value"}, {}};
  const auto row = [&table](const char* name, Cell cell) {
    table.rows.push_back({{name}, std::move(cell)});
  };
  row("name", {report.device_name + (report.on_cpu() ? " (the CPU device, an emulation)" : "")});
  row("architecture", text_cell(report.architecture));
  row("driver", text_cell(report.driver));
  row("clocks", text_cell(report.clocks));
  row("rules of verification", count_cell(report.verification_rules, "/rules/verification"));
  row("rules of measurement", count_cell(report.measurement_rules, "/rules/measurement"));
  row("highest clock",
      whole_cell(
          report.highest_clock_hz ? std::optional(*report.highest_clock_hz / 1e6) : std::nullopt,
          "MHz", ""));
  row("multiprocessors", count_cell(report.multiprocessors, "/device/multiprocessors"));
  row("memory bandwidth by its datasheet",
      rate_cell(report.datasheet_bandwidth, "B/s", "/device/datasheet_bandwidth"));
  return table;
}

}  // namespace kernelloop
