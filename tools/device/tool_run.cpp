#include "device/tool_run.hpp"

#include "device/compute_sanitizer.hpp"
#include "device/protocol.hpp"
#include "device/watched_worker.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_plant_timeout{60000};
constexpr milliseconds k_report_timeout{60000};

std::vector<std::string> watcher(const ToolRun& wanted, const std::filesystem::path& log) {
  std::vector<std::string> kernels;
  for (const ResolvedLaunch& launch : wanted.request->plan.launches) {
    kernels.push_back(launch.kernel);
  }
  return compute_sanitizer_command(wanted.tool_program, wanted.tool, log, kernels);
}

class Session {
 public:
  Session(const ToolRun& wanted, const std::filesystem::path& log)
      : wanted_(wanted),
        log_(log),
        worker_({wanted.program, wanted.device, watcher(wanted, log), log.parent_path(),
                 wanted.artifact->path, wanted.variables}) {}

  ToolResult run() {
    ToolResult result;
    const std::string problem = drive(result.run);
    worker_.process().finish(k_report_timeout);
    std::error_code error;
    const std::string text = std::filesystem::exists(log_, error) ? read_file(log_) : "";
    const RunResult seen = std::move(result.run);
    result = judge_tool_report(wanted_.tool, read_tool_report(text), seen.addresses);
    result.run = seen;
    if (result.outcome == ToolResult::Outcome::found) return result;
    if (!problem.empty()) {
      result.outcome = ToolResult::Outcome::unavailable;
      result.reason =
          fmt::format("under compute-sanitizer's {}, {}", name_of(wanted_.tool), problem);
    } else if (seen.fault && result.outcome == ToolResult::Outcome::clean) {
      result.outcome = ToolResult::Outcome::found;
      result.finding = seen.fault;
    }
    return result;
  }

 private:
  // Load, run, plant. Returns what kept it from doing so.
  std::string drive(RunResult& run) {
    RunRequest request = *wanted_.request;
    request.placement = Placement::bare;
    request.uninitialised = wanted_.tool == SanitizerTool::initcheck;
    std::string problem = worker_.run(*wanted_.artifact, request, run);
    if (!problem.empty()) return problem;
    // What comes of the planted fault, the report has to say.
    if (worker_.alive()) {
      worker_.process().ask(plant_request(wanted_.tool), {}, k_plant_timeout);
    }
    return {};
  }

  const ToolRun& wanted_;
  std::filesystem::path log_;
  WatchedWorker worker_;
};

}  // namespace

ToolResult run_under_tool(const ToolRun& wanted) {
  for (const std::string& kernel : wanted.artifact->kernels) {
    if (kernel.rfind(k_harness_kernel_prefix, 0) != 0) continue;
    ToolResult result;
    result.outcome = ToolResult::Outcome::found;
    result.finding = {FaultKind::other,
                      fmt::format("kernel '{}': names that begin with {} are the harness's; rename "
                                  "it",
                                  kernel, k_harness_kernel_prefix)};
    return result;
  }
  const TemporaryDirectory directory;
  return Session(wanted, directory.path() / "report.txt").run();
}

}  // namespace kernelloop
