#include "device/compute_sanitizer.hpp"

#include "support/toolkit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

constexpr std::string_view k_prefix = "=========";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Sizes are printed as "4,000 bytes" in some locales.
std::string without_commas(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '9';
    };
    if (text[i] == ',' && i > 0 && digit(i - 1) && digit(i + 1) && digit(i + 2) && digit(i + 3) &&
        !digit(i + 4)) {
      continue;
    }
    result += text[i];
  }
  return result;
}

// "oob_write(float *, int)+0xb0 in san.cu:16" -> its function and its place.
struct Site {
  std::string function;
  std::string place;
};
Site site_in(std::string_view text) {
  Site site;
  site.function = text.substr(0, std::min(text.find('('), text.find("+0x")));
  const std::size_t in = text.rfind(" in ");
  if (in != std::string_view::npos && in > text.find("+0x")) {
    std::string_view place = text.substr(in + 4);
    place = place.substr(0, place.find(' '));  // racecheck: "san.cu:36 [512 hazards]"
    site.place =
        place.substr(place.rfind('/') == std::string_view::npos ? 0 : place.rfind('/') + 1);
  }
  return site;
}

// The lines of a log that are the tool's, without prefix; others are of the program it watched.
std::vector<std::string_view> tool_lines(std::string_view log) {
  std::vector<std::string_view> lines;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (line.substr(0, k_prefix.size()) != k_prefix) continue;
    std::string_view rest = line.substr(k_prefix.size());
    if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\r')) rest.remove_suffix(1);
    lines.push_back(rest);
  }
  return lines;
}

std::string_view trimmed_left(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  return start == std::string_view::npos ? std::string_view() : line.substr(start);
}

// Racecheck's one-line head: "Error: Race reported between Write access at k(...)+0x80 in a.cu:40".
std::optional<ToolFinding> race_in(std::string_view line) {
  const std::size_t between = line.find(" reported between ");
  const std::size_t at = line.find(" access at ");
  if (line.rfind("Error: ", 0) != 0 || between == std::string_view::npos ||
      at == std::string_view::npos) {
    return std::nullopt;
  }
  const Site site = site_in(line.substr(at + 11));
  ToolFinding finding;
  finding.what = fmt::format("{} access races", line.substr(between + 18, at - between - 18));
  finding.kernel = site.function;
  finding.place = site.place;
  return finding;
}

void add_detail(ToolFinding& finding, std::string_view line) {
  if (line.rfind("at ", 0) == 0) {
    const Site site = site_in(line.substr(3));
    finding.kernel = site.function;
    finding.place = site.place;
  } else if (line.rfind("Device Frame: ", 0) == 0) {
    // The last frame is the kernel, whatever it called.
    const Site site = site_in(line.substr(14));
    finding.kernel = site.function;
    if (!site.place.empty()) finding.place = site.place;
  } else if (line.rfind("by thread ", 0) == 0) {
    finding.thread = line.substr(3);
  } else if (line.rfind("Access to ", 0) == 0) {
    finding.misaligned = contains(line, "misaligned");
  } else if (line.rfind("and is ", 0) == 0) {
    finding.more = without_commas(line.substr(4));
    const std::size_t address = line.find(" at 0x");
    if (address != std::string_view::npos) {
      finding.allocation =
          std::strtoull(std::string(line.substr(address + 4)).c_str(), nullptr, 16);
    }
  } else if (line.rfind("and ", 0) == 0 && contains(line, " access at ") && finding.other.empty()) {
    const std::size_t at = line.find(" access at ");
    const Site site = site_in(line.substr(at + 11));
    finding.other = fmt::format("{} access at {}", line.substr(4, at - 4),
                                site.place.empty() ? site.function : site.place);
  }
}

bool is_summary(std::string_view line) {
  return line.rfind("ERROR SUMMARY: ", 0) == 0 || line.rfind("RACECHECK SUMMARY: ", 0) == 0;
}

bool is_complaint(std::string_view line) {
  constexpr std::array<std::string_view, 7> k_words{
      "not supported", "before the Sanitizer", "nable to",  "Internal",
      "ailed to",      "did not use CUDA",     "not loaded"};
  return std::any_of(k_words.begin(), k_words.end(),
                     [&](std::string_view words) { return contains(line, words); });
}

bool is_harness(const ToolFinding& finding) {
  return finding.kernel.rfind(k_harness_kernel_prefix, 0) == 0;
}

FaultKind kind_of(SanitizerTool tool, const ToolFinding& finding) {
  switch (tool) {
    case SanitizerTool::memcheck:
      return finding.misaligned ? FaultKind::misaligned : FaultKind::illegal_access;
    case SanitizerTool::racecheck:
      return FaultKind::race;
    case SanitizerTool::initcheck:
      return FaultKind::reads_uninitialised;
    case SanitizerTool::synccheck:
      return FaultKind::divergent_barrier;
  }
  return FaultKind::other;
}

// "is 1 bytes after the nearest allocation at 0x... of size 4000 bytes" -> "1 bytes after 'y' (4000
// bytes)".
std::string with_names(const ToolFinding& finding,
                       const std::map<std::string, std::uint64_t>& addresses) {
  std::string text = finding.more;
  for (const auto& [name, address] : addresses) {
    if (address == 0 || address != finding.allocation) continue;
    const std::size_t begin = text.find("the nearest allocation at ");
    const std::size_t size = text.find(" of size ");
    if (begin == std::string::npos || size == std::string::npos) break;
    text = fmt::format("{}'{}' ({})", text.substr(0, begin), name, text.substr(size + 9));
    break;
  }
  return text.rfind("is ", 0) == 0 ? text.substr(3) : text;
}

std::string words_for(SanitizerTool tool, const ToolFinding& finding,
                      const std::map<std::string, std::uint64_t>& addresses) {
  std::string text =
      fmt::format("{}: {} in kernel '{}'", name_of(tool), finding.what, finding.kernel);
  if (!finding.place.empty()) text += " at " + finding.place;
  if (!finding.other.empty()) text += " with the " + finding.other;
  if (!finding.thread.empty()) text += ", " + finding.thread;
  if (const std::string more = with_names(finding, addresses); !more.empty()) text += ", " + more;
  return text;
}

}  // namespace

const char* name_of(SanitizerTool tool) {
  switch (tool) {
    case SanitizerTool::memcheck:
      return "memcheck";
    case SanitizerTool::racecheck:
      return "racecheck";
    case SanitizerTool::initcheck:
      return "initcheck";
    case SanitizerTool::synccheck:
      return "synccheck";
  }
  return "memcheck";
}

std::string planted_kernel(SanitizerTool tool) {
  return fmt::format("{}planted_{}", k_harness_kernel_prefix, name_of(tool));
}

ToolReport read_tool_report(std::string_view log) {
  ToolReport report;
  bool inside = false;  // a finding whose details follow
  for (const std::string_view line : tool_lines(log)) {
    if (line.empty()) {
      inside = false;
    } else if (line == "COMPUTE-SANITIZER") {
      report.started = true;
    } else if (is_summary(line)) {
      report.finished = true;
      inside = false;
    } else if (auto race = race_in(line)) {
      report.findings.push_back(*std::move(race));
      inside = true;
    } else if (line.front() == ' ') {
      if (inside) add_detail(report.findings.back(), trimmed_left(line));
    } else {
      if (report.complaint.empty() && is_complaint(line)) report.complaint = line;
      report.findings.push_back({});
      report.findings.back().what = line;
      inside = true;
    }
  }
  // What names no kernel is about calls of the driver, not about device code.
  const auto nameless = std::remove_if(report.findings.begin(), report.findings.end(),
                                       [](const ToolFinding& f) { return f.kernel.empty(); });
  report.findings.erase(nameless, report.findings.end());
  return report;
}

ToolResult judge_tool_report(SanitizerTool tool, const ToolReport& report,
                             const std::map<std::string, std::uint64_t>& addresses) {
  ToolResult result;
  const auto own = std::find_if_not(report.findings.begin(), report.findings.end(), is_harness);
  if (own != report.findings.end()) {
    result.outcome = ToolResult::Outcome::found;
    result.finding = {kind_of(tool, *own), words_for(tool, *own, addresses)};
    return result;
  }
  const std::string because = report.complaint.empty() ? "" : ": " + report.complaint;
  const bool saw_ours = std::any_of(
      report.findings.begin(), report.findings.end(),
      [&](const ToolFinding& finding) { return finding.kernel == planted_kernel(tool); });
  if (!report.started) {
    result.reason = fmt::format("compute-sanitizer's {} wrote no report{}", name_of(tool), because);
  } else if (!report.finished) {
    result.reason =
        fmt::format("the report of compute-sanitizer's {} breaks off{}", name_of(tool), because);
  } else if (!saw_ours) {
    result.reason = fmt::format(
        "compute-sanitizer's {} did not see the fault that was planted behind the run, so it says "
        "nothing about the candidate{}",
        name_of(tool), because);
  } else {
    result.outcome = ToolResult::Outcome::clean;
  }
  return result;
}

std::filesystem::path find_compute_sanitizer() { return find_toolkit_program("compute-sanitizer"); }

std::string compute_sanitizer_version(const std::filesystem::path& program) {
  return toolkit_program_version(program, "Compute Sanitizer");
}

std::vector<std::string> compute_sanitizer_command(const std::filesystem::path& program,
                                                   SanitizerTool tool,
                                                   const std::filesystem::path& log,
                                                   const std::vector<std::string>& kernels) {
  std::vector<std::string> command{
      program.string(),  "--tool", name_of(tool),      "--log-file", log.string(),
      "--print-limit",   "50",     "--launch-timeout", "60",         "--target-processes",
      "application-only"};
  const auto add = [&](const char* option, const char* value) {
    command.emplace_back(option);
    command.emplace_back(value);
  };
  if (tool == SanitizerTool::memcheck) add("--report-api-errors", "no");
  // Our own copies between host and device are no concern of the candidate.
  if (tool == SanitizerTool::initcheck) add("--check-api-memory-access", "no");
  // Warnings are about threads that write the same value.
  if (tool == SanitizerTool::racecheck) add("--racecheck-detect-level", "error");
  for (const std::string& kernel : kernels) add("--kernel-name", ("kne=" + kernel).c_str());
  add("--kernel-name", ("kne=" + planted_kernel(tool)).c_str());
  return command;
}

}  // namespace kernelloop
