#include "report/document_plots.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace kernelloop {
namespace {

bool computes(const Report& report) {
  return std::any_of(report.versions.begin(), report.versions.end(), [](const ReportVersion& one) {
    return std::any_of(one.workloads.begin(), one.workloads.end(),
                       [](const ReportWorkload& w) { return w.all_flops() > 0; });
  });
}

// One point a workload: over operations per byte, or over bytes where the op computes nothing.
Series points_of(const std::string& name, const std::vector<ReportWorkload>& workloads,
                 bool by_operations) {
  Series series{name};
  for (const ReportWorkload& one : workloads) {
    const double bytes = one.bytes.value_or(0.0);
    const double flops = one.all_flops();
    if (bytes <= 0 || (by_operations && flops <= 0)) continue;
    const double seconds = one.median_us * 1e-6;
    series.values.emplace_back(by_operations ? flops / bytes : bytes,
                               (by_operations ? flops : bytes) / seconds);
  }
  return series;
}

double roof_of(const Report& report, const std::string& name) {
  const auto found = report.roofs.find(name);
  return found == report.roofs.end() ? 0.0 : found->second;
}

std::pair<double, double> x_range_of(const std::vector<Series>& points) {
  double low = std::numeric_limits<double>::max();
  double high = 0.0;
  for (const Series& series : points) {
    for (const auto& [x, y] : series.values) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  return {low / 4, high * 4};
}

std::set<std::string> classes_of(const Report& report) {
  std::set<std::string> classes;
  for (const ReportVersion& version : report.versions) {
    for (const ReportWorkload& one : version.workloads) {
      for (const auto& [kind, count] : one.flops) {
        if (count > 0) classes.insert(kind);
      }
    }
  }
  return classes;
}

void add_roofs(const Report& report, bool by_operations, Plot& plot) {
  auto [low, high] = x_range_of(plot.series);
  const double copy = roof_of(report, "copy");
  if (by_operations) {
    for (const std::string& kind : classes_of(report)) {
      const double peak = roof_of(report, kind);
      if (peak <= 0) continue;
      if (copy > 0) high = std::max(high, 4 * peak / copy);  // the ridge is worth seeing
    }
    for (const std::string& kind : classes_of(report)) {
      const double peak = roof_of(report, kind);
      if (peak <= 0) continue;
      const double ridge = copy > 0 ? std::max(low, peak / copy) : low;
      plot.series.push_back({"roof " + kind, Series::Style::line, {{ridge, peak}, {high, peak}}});
    }
  }
  if (copy > 0) {
    const auto height = [&](double x) { return by_operations ? x * copy : copy; };
    plot.series.push_back(
        {"roof copy", Series::Style::line, {{low, height(low)}, {high, height(high)}}});
  }
}

}  // namespace

Plot time_plot(const Report& report) {
  Plot plot;
  plot.id = "times";
  plot.title = "Time of each version";
  plot.x_label = "version";
  plot.y_label = report.on_cpu() ? "wall time of the emulation, µs" : "time, µs";
  Series bars{"versions", Series::Style::bars};
  for (const ReportVersion& one : report.versions) {
    plot.categories.push_back(one.version);
    if (one.time_us) {
      bars.values.emplace_back(static_cast<double>(plot.categories.size()), *one.time_us);
    }
  }
  if (bars.values.empty()) return plot;
  plot.series.push_back(std::move(bars));
  const double right = static_cast<double>(plot.categories.size()) + 0.6;
  for (const ReportBaseline& one : report.baselines) {
    if (!one.time_us) continue;
    plot.series.push_back({"baseline " + one.name,
                           Series::Style::line,
                           {{0.4, *one.time_us}, {right, *one.time_us}}});
  }
  return plot;
}

Plot roofline_plot(const Report& report) {
  Plot plot;
  plot.id = "roofline";
  plot.title = "Roofline";
  plot.logarithmic = true;
  if (report.on_cpu()) return plot;
  const bool by_operations = computes(report);
  plot.x_in_thousands = !by_operations;
  plot.x_label = by_operations ? "operations per byte" : "bytes that a launch must move";
  plot.y_label = by_operations ? "operations per second" : "bytes per second";
  const auto add = [&](const std::string& name, const std::vector<ReportWorkload>& workloads) {
    Series points = points_of(name, workloads, by_operations);
    if (!points.values.empty()) plot.series.push_back(std::move(points));
  };
  for (const ReportVersion& one : report.versions) add(one.version, one.workloads);
  for (const ReportBaseline& one : report.baselines) add("baseline " + one.name, one.workloads);
  if (!plot.empty()) add_roofs(report, by_operations, plot);
  return plot;
}

}  // namespace kernelloop
