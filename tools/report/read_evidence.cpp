#include "report/read_evidence.hpp"

#include "support/json_members.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace kernelloop {
namespace {

std::optional<std::array<double, 2>> pair_member(const Json& json, const char* name) {
  const Json& pair = list_member(json, name);
  if (pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) return std::nullopt;
  return std::array<double, 2>{pair[0].get<double>(), pair[1].get<double>()};
}

std::string joined(const Json& texts) {
  std::string text;
  for (const Json& one : texts) {
    if (one.is_string()) text += (text.empty() ? "" : ", ") + one.get<std::string>();
  }
  return text;
}

std::string referee_text(const Json& referee) {
  const std::string reason = text_member(referee, "reason");
  return text_member(referee, "status") + (reason.empty() ? "" : ": " + reason);
}

}  // namespace

std::vector<ReportWorkload> report_workloads(const Json& timed) {
  std::vector<ReportWorkload> workloads;
  for (const Json& json : list_member(timed, "workloads")) {
    const auto median = time_member(json, "median_us");
    if (!median) continue;
    ReportWorkload one;
    one.name = text_member(json, "name");
    one.weight = number_member(json, "weight").value_or(1.0);
    one.median_us = *median;
    one.interval_us = pair_member(json, "interval_us");
    one.p25_us = number_member(json, "p25_us");
    one.p75_us = number_member(json, "p75_us");
    one.spread = number_member(json, "spread");
    one.samples = count_member(json, "samples").value_or(0);
    one.set_aside = count_member(json, "set_aside").value_or(0);
    one.throttling = joined(list_member(json, "throttling"));
    one.foreign = count_member(json, "foreign").value_or(0);
    one.clock_mhz = number_member(json, "clock_mhz");
    one.power_watts = number_member(json, "power_watts");
    one.bytes = number_member(json, "bytes");
    one.bytes_per_second = number_member(json, "bytes_per_second");
    if (const Json& flops = member(json, "flops"); flops.is_object()) {
      for (const auto& [kind, count] : flops.items()) {
        if (count.is_number()) one.flops[kind] = count.get<double>();
      }
    }
    one.sol = number_member(json, "sol");
    one.bound = text_member(json, "bound");
    one.referee = referee_text(member(json, "referee"));
    const auto read = number_member(member(json, "bus"), "read_bytes");
    const auto written = number_member(member(json, "bus"), "written_bytes");
    if (read && written) one.bus_bytes = *read + *written;
    one.hot_us = number_member(member(json, "hot"), "median_us");
    one.rotating_us = number_member(member(json, "rotating"), "median_us");
    workloads.push_back(std::move(one));
  }
  return workloads;
}

std::vector<ReportRung> report_rungs(const Json& verified) {
  std::vector<ReportRung> rungs;
  for (const Json& rung : list_member(verified, "rungs")) {
    rungs.push_back({text_member(rung, "name"), text_member(rung, "status"),
                     text_member(rung, "reason"),
                     static_cast<std::int64_t>(list_member(rung, "cases").size())});
  }
  return rungs;
}

std::vector<ReportKernel> report_kernels(const Json& compiled) {
  std::vector<ReportKernel> kernels;
  for (const Json& kernel : list_member(compiled, "kernels")) {
    const std::string signature = text_member(kernel, "signature");
    kernels.push_back({signature.empty() ? text_member(kernel, "name") : signature,
                       count_member(kernel, "registers"), count_member(kernel, "spill_store_bytes"),
                       count_member(kernel, "spill_load_bytes"),
                       count_member(kernel, "stack_bytes"),
                       count_member(kernel, "static_shared_bytes")});
  }
  return kernels;
}

ReportDigest report_digest(const Json& looked, const std::string& absent) {
  ReportDigest digest;
  if (looked.is_null()) {
    digest.missing = absent;
    return digest;
  }
  const Json& lines = member(looked, "digest");
  if (lines.is_string()) {
    for (const std::string_view line : split_lines(lines.get_ref<const std::string&>())) {
      digest.lines.emplace_back(line);
    }
  } else if (lines.is_array()) {
    for (const Json& line : lines) {
      if (line.is_string()) digest.lines.push_back(line.get<std::string>());
    }
  }
  if (digest.lines.empty()) {
    const std::string reason = text_member(looked, "reason");
    digest.missing =
        fmt::format("{}{}{}", text_member(looked, "status"), reason.empty() ? "" : ": ", reason);
  }
  if (const Json& overhead = member(looked, "overhead"); overhead.is_object()) {
    digest.lines.push_back(fmt::format("The traced build takes {:.1f} µs, the plain one {:.1f} µs.",
                                       number_member(overhead, "traced_us").value_or(0.0),
                                       number_member(overhead, "plain_us").value_or(0.0)));
  }
  return digest;
}

std::map<std::string, double> report_roofs(const Json& ceilings) {
  std::map<std::string, double> roofs;
  if (const Json& measured = member(ceilings, "roofs"); measured.is_object()) {
    for (const auto& [name, value] : measured.items()) {
      if (value.is_number()) roofs[name] = value.get<double>();
    }
  } else if (const auto copy = number_member(ceilings, "copy_bytes_per_second")) {
    roofs["copy"] = *copy;
  }
  return roofs;
}

std::optional<ReportComparison> report_comparison(const Json& comparison) {
  const auto ratio = number_member(comparison, "ratio");
  if (!ratio) return std::nullopt;
  return ReportComparison{
      text_member(comparison, "incumbent"), text_member(comparison, "challenger"),
      text_member(comparison, "verdict"),   *ratio,
      pair_member(comparison, "interval"),  number_member(comparison, "noise_floor")};
}

}  // namespace kernelloop
