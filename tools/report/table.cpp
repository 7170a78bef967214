#include "report/table.hpp"

#include "report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kernelloop {
namespace {

constexpr std::size_t k_widest_text = 64;

std::string shortened(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (width_of(line) <= k_widest_text) return line;
  std::size_t end = 0;
  for (std::size_t shown = 0; shown + 1 < k_widest_text; ++shown) {
    ++end;
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) ++end;
  }
  return line.substr(0, end) + "…";
}

std::string verdict(const VersionRecord& record) {
  switch (record.outcome) {
    case Outcome::verified:
      return "verified";
    case Outcome::compile_failed:
      return "does not compile";
    case Outcome::wrong:
      return "wrong";
    case Outcome::not_runnable:
      return "not runnable here";
    case Outcome::bench_failed:
      return "timing refused";
    case Outcome::duplicate:
      return "sent before";
    case Outcome::rejected:
      return "rejected";
  }
  return "";
}

std::string time_text(const History& history, const VersionRecord& record) {
  if (!record.time_us) return "-";
  std::string text = duration_text(*record.time_us);
  if (history.device_kind == "cpu") return text + " wall, CPU device";
  if (record.sol) text += fmt::format(", {:.0f} % SOL", *record.sol * 100);
  return text;
}

std::vector<std::vector<std::string>> rows_of(const History& history) {
  std::vector<std::vector<std::string>> rows{
      {"version", "verdict", "time", "against best", "what changed"}};
  std::optional<double> best;
  for (const VersionRecord& record : history.versions) {
    std::string against = "-";
    if (record.time_us) {
      if (best) against = fmt::format("{:.2f}×", *best / *record.time_us);
      best = std::min(best.value_or(*record.time_us), *record.time_us);
    }
    const std::string text = record.failure.empty() ? record.change : record.failure;
    rows.push_back(
        {record.version, verdict(record), time_text(history, record), against, shortened(text)});
  }
  return rows;
}

}  // namespace

std::string duration_text(double microseconds) {
  if (microseconds < 1e3) return fmt::format("{:.1f} µs", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.2f} ms", microseconds / 1e3);
  return fmt::format("{:.2f} s", microseconds / 1e6);
}

std::string stop_reason(const History& history, int total_rounds) {
  if (history.decision.action == Decision::Action::stop) return history.decision.reason;
  if (history.round >= total_rounds) {
    const std::string used = total_rounds == 1
                                 ? "the only round is used"
                                 : fmt::format("all {} rounds are used", total_rounds);
    return fmt::format("{}; raise VERSIONS to go on (next: {})", used, history.decision.reason);
  }
  return fmt::format("not finished: round {} of {} is done (next: {})", history.round, total_rounds,
                     history.decision.reason);
}

std::string history_table(const History& history, int total_rounds) {
  std::string text = fmt::format("{} on {}\n", history.op,
                                 history.device_name.empty() ? "no device" : history.device_name);
  text += in_columns(rows_of(history));
  if (const VersionRecord* best = history.best(); best != nullptr) {
    text += fmt::format("  best: {} ({})\n", best->version, time_text(history, *best));
  } else {
    text += "  best: none; no version is right yet\n";
  }
  const bool stopped =
      history.decision.action == Decision::Action::stop || history.round >= total_rounds;
  return text +
         fmt::format("  {}{}\n", stopped ? "stopped: " : "", stop_reason(history, total_rounds));
}

}  // namespace kernelloop
