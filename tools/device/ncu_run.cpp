#include "device/ncu_run.hpp"

#include "device/watched_worker.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/toolkit.hpp"

#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <set>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_ncu_report_timeout{60000};
constexpr milliseconds k_ncu_read_timeout{60000};
// Rules of a section run only where SpeedOfLight was collected. These are 34 passes on an H200.
constexpr std::array k_sections = {"SpeedOfLight",
                                   "LaunchStats",
                                   "Occupancy",
                                   "SchedulerStats",
                                   "WarpStateStats",
                                   "MemoryWorkloadAnalysis",
                                   "MemoryWorkloadAnalysis_Tables",
                                   "SourceCounters"};

// The first line of ncu's log that speaks of trouble, without the mark.
std::string complaint_in(const std::filesystem::path& log) {
  std::error_code error;
  if (!std::filesystem::exists(log, error)) return {};
  const std::string text = read_file(log);
  for (const std::string_view mark : {"==ERROR== ", "==WARNING== "}) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + mark.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  return {};
}

std::string page(const std::filesystem::path& ncu, const std::filesystem::path& report,
                 const std::vector<std::string>& options, std::string& reason) {
  Command command;
  command.arguments = {ncu.string(), "-i", report.string(), "--csv", "--page"};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.timeout = k_ncu_read_timeout;
  ProcessResult result = run(command);
  if (result.succeeded() && !result.output_truncated) return std::move(result.output);
  reason = fmt::format("ncu cannot read its own report: {}",
                       result.succeeded() ? "it prints too much" : result.describe());
  return {};
}

}  // namespace

std::filesystem::path find_ncu() {
  if (const char* named = std::getenv("KERNELLOOP_NCU"); named != nullptr && *named != '\0') {
    return std::string_view(named) == "off" ? std::filesystem::path() : find_program(named);
  }
  return find_toolkit_program("ncu");
}

std::vector<std::string> ncu_command(const std::filesystem::path& ncu,
                                     const std::filesystem::path& report,
                                     const std::filesystem::path& log,
                                     const std::vector<std::string>& kernels) {
  const std::set<std::string> names(kernels.begin(), kernels.end());
  std::vector<std::string> command{ncu.string(),
                                   "--target-processes",
                                   "application-only",
                                   "--clock-control",
                                   "none",
                                   "--cache-control",
                                   "all",
                                   "--kernel-name-base",
                                   "mangled",
                                   "--kernel-name",
                                   fmt::format("regex:^({})$", fmt::join(names, "|")),
                                   "--launch-count",
                                   std::to_string(kernels.size()),
                                   "--log-file",
                                   log.string(),
                                   "--force-overwrite",
                                   "--export",
                                   report.string()};
  for (const char* section : k_sections) {
    command.emplace_back("--section");
    command.emplace_back(section);
  }
  return command;
}

NcuResult run_under_ncu(const NcuRun& wanted) {
  NcuResult result;
  result.version = toolkit_program_version(wanted.ncu, "");
  if (result.version.empty()) {
    result.reason = wanted.ncu.string() + " does not answer as ncu does";
    return result;
  }
  std::vector<std::string> kernels;
  for (const ResolvedLaunch& launch : wanted.request->plan.launches) {
    kernels.push_back(launch.kernel);
  }
  const TemporaryDirectory directory;
  const std::filesystem::path report = directory.path() / "report.ncu-rep";
  const std::filesystem::path log = directory.path() / "log.txt";
  std::string problem;
  {
    WatchedWorker worker({wanted.program, wanted.device,
                          ncu_command(wanted.ncu, report, log, kernels), directory.path(),
                          wanted.artifact->path, wanted.variables});
    RunRequest request = *wanted.request;
    request.placement = Placement::bare;
    request.count.clear();
    request.watch = false;
    request.outputs = false;
    RunResult ran;
    problem = worker.run(*wanted.artifact, request, ran);
    if (problem.empty() && ran.fault) problem = ran.fault.message;
    // It writes its report when the program ends.
    if (!worker.process().finish(k_ncu_report_timeout) && problem.empty()) {
      problem = "it did not come to an end";
    }
  }
  std::error_code error;
  if (!std::filesystem::exists(report, error)) {
    const std::string complaint = complaint_in(log);
    result.reason = "under ncu: " + (!complaint.empty() ? complaint
                                     : !problem.empty() ? problem
                                                        : "it wrote no report");
    return result;
  }
  result.raw = page(wanted.ncu, report, {"raw", "--print-units", "base"}, result.reason);
  result.details = page(wanted.ncu, report, {"details"}, result.reason);
  if (!result.reason.empty()) result.raw = result.details = {};
  return result;
}

}  // namespace kernelloop
