#include "device/tool_run.hpp"

#include "device/compute_sanitizer.hpp"
#include "device/description.hpp"
#include "device/protocol.hpp"
#include "device/reply_check.hpp"
#include "device/worker_process.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_watched_load_timeout{120000};  // the tool instruments every kernel
constexpr milliseconds k_plant_timeout{60000};
constexpr milliseconds k_report_timeout{60000};

std::string first_line(const std::string& text) {
  const std::size_t start = text.find_first_not_of("\n ");
  if (start == std::string::npos) return {};
  return text.substr(start, std::min<std::size_t>(text.find('\n', start) - start, 300));
}

// Why there was no reply, what the reply complains of, or that `use` cannot take it apart; empty
// when it is a result. A reply can be anything: what runs in the watched process may write into its
// channel.
template <typename Use>
std::string trouble(const Exchange& exchange, const WorkerProcess& process, const char* doing,
                    const Use& use) {
  switch (exchange.end) {
    case Exchange::End::timed_out:
      return fmt::format("{} took too long", doing);
    case Exchange::End::died: {
      const std::string printed = first_line(process.output());
      return fmt::format("{}: it {}{}{}", doing, exchange.how_it_died, printed.empty() ? "" : "; ",
                         printed);
    }
    case Exchange::End::replied:
      break;
  }
  try {
    if (exchange.reply.contains("error")) {
      return fmt::format("{}: {}", doing,
                         exchange.reply.at("error").at("message").get<std::string>());
    }
    use(exchange.reply);
    return {};
  } catch (const Json::exception&) {
    return fmt::format("{}: the worker sent a reply that is not its own", doing);
  } catch (const Error& error) {
    return fmt::format("{}: the worker sent a reply that is not its own ({})", doing, error.what());
  }
}

class Session {
 public:
  Session(const ToolRun& wanted, const std::filesystem::path& log)
      : wanted_(wanted), log_(log), process_(start(wanted, log)) {}

  ToolResult run() {
    ToolResult result;
    const std::string problem = drive(result.run);
    process_.finish(k_report_timeout);
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
  static WorkerStart start(const ToolRun& wanted, const std::filesystem::path& log) {
    WorkerStart start;
    start.program = wanted.program;
    start.device = wanted.device;
    std::vector<std::string> kernels;
    for (const ResolvedLaunch& launch : wanted.request->plan.launches) {
      kernels.push_back(launch.kernel);
    }
    start.watcher = compute_sanitizer_command(wanted.tool_program, wanted.tool, log, kernels);
    return start;
  }

  // Load, run, plant. Returns what kept it from doing so.
  std::string drive(RunResult& run) {
    const Exchange loaded =
        process_.ask(load_request(0, *wanted_.artifact), {}, k_watched_load_timeout);
    Fault refused;
    std::string problem = trouble(loaded, process_, "loading the kernels", [&](const Json& reply) {
      refused = fault_from_json(reply.at("fault"));
    });
    if (!problem.empty()) return problem;
    if (refused) return refused.message;
    RunRequest request = *wanted_.request;
    request.placement = Placement::bare;
    request.uninitialised = wanted_.tool == SanitizerTool::initcheck;
    const TensorArena::State& state = request.arena->state();
    const Exchange ran =
        process_.ask(run_request(request, 0), {state.input_memory.get(), state.output_memory.get()},
                     request.timeout);
    RunResult result;
    bool final = false;
    problem = trouble(ran, process_, "the run", [&](const Json& reply) {
      result = run_result_from_reply(reply);
      check_reply(result, request);
      final = reply.value("final", false);
    });
    if (!problem.empty()) return problem;
    run = std::move(result);
    // Instrumented kernels need more registers: what the driver refuses then is no fault of theirs.
    if (run.fault.kind == FaultKind::launch_refused) return run.fault.message;
    // What comes of the planted fault, the report has to say.
    if (!final) {
      process_.ask(plant_request(wanted_.tool), {}, k_plant_timeout);
    }
    return {};
  }

  const ToolRun& wanted_;
  std::filesystem::path log_;
  WorkerProcess process_;
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
