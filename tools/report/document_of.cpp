#include "report/document_of.hpp"

#include "report/document_plots.hpp"
#include "report/document_tables.hpp"
#include "report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace kernelloop {
namespace {

// "v006 is adopted: 50.8 µs, 91.4 % of the speed of light."
std::string summary_text(const Report& report) {
  const ReportVersion* shown = report.shown();
  if (shown == nullptr) return "No version has been timed on this device.";
  std::string text = fmt::format(
      "{} {}: {}", shown->version,
      shown->version == report.adopted ? "is adopted" : "is the fastest verified version",
      duration_text(*shown->time_us));
  if (report.on_cpu()) text += " of wall time in the emulation, which is no GPU time";
  if (shown->sol) text += fmt::format(", {:.1f} % of the speed of light", 100 * *shown->sol);
  if (!shown->bound.empty()) text += fmt::format(" (bound: {})", shown->bound);
  return text + ".";
}

std::string source_text(const Report& report) {
  return report.from_build()
             ? "Measured by the build that wrote this report, or committed as evidence."
             : "Made from the committed evidence of the adopted version. Other versions were "
               "measured in builds whose files are not here.";
}

std::string comparison_text(const ReportComparison& one) {
  std::string text = fmt::format("{} against {}, timed in turns: {}, {:.3f} of its time",
                                 one.challenger, one.incumbent, one.verdict, one.ratio);
  if (one.interval) {
    text += fmt::format(" ({:.3f} to {:.3f})", (*one.interval)[0], (*one.interval)[1]);
  }
  if (one.noise_floor) text += fmt::format(", noise floor {:.1f} %", 100 * *one.noise_floor);
  return text + ".";
}

std::string cost_text_of(const ReportCost& cost) {
  if (cost.source == "ledger") {
    return fmt::format(
        "By the ledger of this machine, {} requests, those that came to nothing too. {}",
        cost.requests.value_or(0),
        cost.unknown_cost == 0
            ? "The cost of all is known."
            : fmt::format("The cost of {} of them is unknown and not in the sum.",
                          cost.unknown_cost));
  }
  if (cost.source == "origins") {
    return fmt::format(
        "By the origin.json of each version, as there is no ledger of this operator here: requests "
        "that came to nothing are not in it.{}",
        cost.unknown_cost == 0
            ? ""
            : fmt::format(" The cost of {} versions is unknown.", cost.unknown_cost));
  }
  return "Unknown: there is no ledger of this operator here, and no version says what it cost. Of "
         "versions "
         "that were written by hand (manual), nobody counted it.";
}

std::string alternative_of(const Plot& plot) {
  std::string text = fmt::format("{}: {} over {}.", plot.title, plot.y_label, plot.x_label);
  for (const Series& one : plot.series) {
    text += fmt::format(" {}:", one.name);
    for (const auto& [x, y] : one.values) {
      const bool named = one.style == Series::Style::bars && !plot.categories.empty();
      text += named
                  ? fmt::format(" {} {:.4g};", plot.categories[static_cast<std::size_t>(x) - 1], y)
                  : fmt::format(" {:.3g} at {:.3g};", y, x);
    }
    text.back() = '.';
  }
  return text;
}

class Builder {
 public:
  Builder(const Report& report, Document& document) : report_(report), blocks_(document.blocks) {}

  void overview() {
    if (!report_.description.empty()) say(report_.description);
    say(summary_text(report_));
    if (report_.comparison) say(comparison_text(*report_.comparison));
    if (!report_.state.empty()) say("The loop: " + report_.state + ".");
    say(source_text(report_));
    blocks_.emplace_back(device_table(report_));
  }
  void versions() {
    head("Versions");
    blocks_.emplace_back(versions_table(report_));
    say("Speed-up: of the first version that was timed. Times are weighted geometric means over "
        "the "
        "workloads.");
    figure(time_plot(report_));
    if (report_.baselines.empty()) {
      say("Baselines: " + report_.no_baselines + ".");
    } else {
      blocks_.emplace_back(baselines_table(report_));
      blocks_.emplace_back(baseline_workloads_table(report_));
    }
  }
  void roofline() {
    head("Roofline");
    figure(roofline_plot(report_));
    table(roofline_table(report_), "No workload was timed on this device.");
    table(roofs_table(report_),
          report_.on_cpu() ? "The CPU device has no roofs." : "No roof of this device is known.");
  }
  void shown_version() {
    const ReportVersion* shown = report_.shown();
    if (shown == nullptr) return;
    const auto index = static_cast<std::size_t>(shown - report_.versions.data());
    head("Workloads");
    if (!shown->source_sha256.empty()) say("Source: sha256 " + shown->source_sha256 + ".");
    blocks_.emplace_back(workloads_table(report_, index));
    head("Resources");
    table(resources_table(report_, index), "What the kernels cost is not known.");
  }
  void ladder() {
    head("Verification");
    table(ladder_table(report_), "No version was verified on this device.");
    std::string said;
    for (const ReportVersion& one : report_.versions) {
      for (const ReportRung& rung : one.rungs) {
        if (rung.reason.empty()) continue;
        const std::string reason = fmt::format("{} {}: {}", rung.name, rung.status, rung.reason);
        if (reason != said) say(fmt::format("{}: {}", one.version, reason));
        said = reason;
      }
    }
  }
  void digests() {
    head("Counters");
    each_digest("counters", &ReportVersion::counters);
    head("Trace");
    each_digest("trace", &ReportVersion::trace);
  }
  void differences() {
    head("Differences of the sources");
    bool any = false;
    for (const ReportVersion& one : report_.versions) {
      if (one.diff.empty()) continue;
      any = true;
      blocks_.emplace_back(
          Folded{fmt::format("From {} to {}", one.parent, one.version), one.diff, true});
    }
    if (!any) say("No version has a parent.");
  }
  void cost() {
    head("Cost");
    say(cost_text_of(report_.cost));
    blocks_.emplace_back(cost_table_of(report_));
  }

 private:
  void head(const std::string& text) { blocks_.emplace_back(Heading{text}); }
  void say(const std::string& text) { blocks_.emplace_back(Paragraph{text}); }
  void table(Table table, const char* when_empty) {
    if (table.rows.empty()) {
      say(when_empty);
    } else {
      blocks_.emplace_back(std::move(table));
    }
  }
  void figure(Plot plot) {
    if (plot.empty()) return;
    std::string alternative = alternative_of(plot);
    blocks_.emplace_back(Figure{std::move(plot), std::move(alternative)});
  }
  // One fold a version that has lines; the reasons of the others, each once.
  void each_digest(const char* what, ReportDigest ReportVersion::*member) {
    std::vector<std::pair<std::string, std::string>> missing;  // reason, versions
    for (const ReportVersion& one : report_.versions) {
      const ReportDigest& digest = one.*member;
      if (!digest.lines.empty()) {
        blocks_.emplace_back(Folded{fmt::format("{}: {}", one.version, what),
                                    fmt::format("{}\n", fmt::join(digest.lines, "\n"))});
      } else if (missing.empty() || missing.back().first != digest.missing) {
        missing.emplace_back(digest.missing, one.version);
      } else {
        missing.back().second += ", " + one.version;
      }
    }
    for (const auto& [reason, versions] : missing) {
      say(fmt::format("None of {}: {}.", versions, reason));
    }
    if (report_.versions.empty()) say("There is no version.");
  }

  const Report& report_;
  std::vector<Block>& blocks_;
};

}  // namespace

Document document_of(const Report& report) {
  Document document;
  document.title = fmt::format("{} on {}", report.op, report.device_name);
  Builder builder(report, document);
  builder.overview();
  builder.versions();
  builder.roofline();
  builder.shown_version();
  builder.ladder();
  builder.digests();
  builder.differences();
  builder.cost();
  return document;
}

}  // namespace kernelloop
