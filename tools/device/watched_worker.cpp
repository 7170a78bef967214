#include "device/watched_worker.hpp"

#include "device/description.hpp"
#include "device/protocol.hpp"
#include "device/reply_check.hpp"
#include "device/worker_sandbox.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

constexpr std::chrono::milliseconds k_watched_load_timeout{
    120000};  // a tool may instrument every kernel

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

WorkerStart worker_start(const WatchedStart& start) {
  WorkerStart worker;
  worker.program = start.program;
  worker.device = start.device;
  worker.watcher = start.watcher;
  if (!start.report_folder.empty()) worker.writable = {start.report_folder};
  worker.readable = {start.artifact};
  worker.variables = start.variables;
  confine_worker(worker, SandboxProof::works);
  return worker;
}

}  // namespace

WatchedWorker::WatchedWorker(const WatchedStart& start) : process_(worker_start(start)) {}

std::string WatchedWorker::run(const Artifact& artifact, const RunRequest& request,
                               RunResult& result) {
  const Exchange loaded = process_.ask(load_request(0, artifact), {}, k_watched_load_timeout);
  Fault refused;
  std::string problem = trouble(loaded, process_, "loading the kernels", [&](const Json& reply) {
    refused = fault_from_json(reply.at("fault"));
  });
  if (!problem.empty()) return problem;
  if (refused) return refused.message;
  const TensorArena::State& state = request.arena->state();
  const Exchange ran =
      process_.ask(run_request(request, 0), {state.input_memory.get(), state.output_memory.get()},
                   request.timeout);
  RunResult got;
  problem = trouble(ran, process_, "the run", [&](const Json& reply) {
    got = run_result_from_reply(reply);
    check_reply(got, request);
    alive_ = !reply.value("final", false);
  });
  if (!problem.empty()) return problem;
  result = std::move(got);
  // Instrumented kernels need more registers: what the driver refuses then is no fault of theirs.
  return result.fault.kind == FaultKind::launch_refused ? result.fault.message : std::string();
}

}  // namespace kernelloop
