#include "device/worker_client.hpp"

#include "device/compute_sanitizer.hpp"
#include "device/description.hpp"
#include "device/device_lock.hpp"
#include "device/host_gpus.hpp"
#include "device/ncu_run.hpp"
#include "device/neighbours.hpp"
#include "device/nvml.hpp"
#include "device/protocol.hpp"
#include "device/reply_check.hpp"
#include "device/sanitizer.hpp"
#include "device/tool_run.hpp"
#include "device/worker_process.hpp"
#include "device/worker_sandbox.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/own_paths.hpp"
#include "support/process.hpp"
#include "support/process_tree.hpp"
#include "support/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_describe_timeout{60000};
constexpr milliseconds k_load_timeout{30000};
constexpr milliseconds k_roof_timeout{60000};
// A step has its worker, what confines that and perhaps a tool that watches.
constexpr std::size_t k_most_family = 64;

// Emulations may run side by side. This has them take turns as GPUs would, to try out and to test
// how steps are spread: names separated by commas.
std::vector<std::string> simulated_slots() {
  const char* names = std::getenv("KERNELLOOP_CPU_SLOTS");
  return names_in(names == nullptr ? "" : names);
}

}  // namespace

struct Worker::Impl {
  Impl() = default;
  // The next step can start while this one's GPU is cleared up.
  ~Impl() {
    if (process && lease) process->leave(lease->lock);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  WorkerOptions options;
  std::vector<Artifact> artifacts;
  std::vector<std::string> preload;  // in this order; each once
  std::optional<DeviceDescription> description;
  std::unique_ptr<WorkerProcess> process;
  std::set<int> loaded;  // modules that the running process has
  // Whether code of a candidate may have run in the process, as part of a library that it loaded.
  // From then on a reply may be anybody's. What runs on a GPU cannot reach the process.
  bool reached = false;
  std::shared_ptr<DeviceLease> lease;
  std::optional<std::vector<std::string>> choice;    // several devices, any of which will do
  std::future<std::shared_ptr<GpuMonitor>> monitor;  // being made, while the worker starts
  std::optional<Neighbours> neighbours;              // from the first timing on
  // Copies of the artefacts, which is all of our files that a worker in a sandbox sees.
  std::optional<TemporaryDirectory> copies;
  bool sandboxed = false;
  std::string confined;  // how the process is, in words

  struct Tool {
    std::filesystem::path path;  // empty: there is none
    std::string version;         // empty: it does not answer
  };
  std::optional<Tool> tool;

  const Tool& compute_sanitizer() {
    if (tool) return *tool;
    tool.emplace();
    tool->path = find_compute_sanitizer();
    if (!tool->path.empty()) tool->version = compute_sanitizer_version(tool->path);
    return *tool;
  }

  [[nodiscard]] std::filesystem::path program() const {
    return options.program.empty() ? this_program() : std::filesystem::absolute(options.program);
  }

  // Where a running worker, or the next one, finds an artefact.
  [[nodiscard]] Artifact as_worker_sees(int module) const {
    const auto number = static_cast<std::size_t>(module);
    Artifact seen = artifacts[number];
    // What is not there is not there in a sandbox, too: the worker says so.
    if (sandboxed && std::filesystem::exists(copy_of(number))) {
      seen.path = std::filesystem::path(k_artifacts_in_sandbox) / std::to_string(module) /
                  seen.path.filename();
    }
    return seen;
  }

  [[nodiscard]] std::filesystem::path copy_of(std::size_t module) const {
    return copies->path() / std::to_string(module) / artifacts[module].path.filename();
  }

  // A library of the user's own stays where it is, since it may need others beside it.
  void make_copy(std::size_t module) {
    const Artifact& artifact = artifacts[module];
    if (!copies) copies.emplace();
    std::error_code error;
    if (artifact.host_code || !std::filesystem::is_regular_file(artifact.path, error)) return;
    std::filesystem::create_directory(copies->path() / std::to_string(module), error);
    if (std::filesystem::copy_file(artifact.path, copy_of(module), error)) return;
    fail(ExitCode::io, "cannot copy {} to {}: {}{}", artifact.path.string(),
         copies->path().string(), error.message(), write_remedy(error));
  }

  [[nodiscard]] std::vector<std::string> devices_to_choose_from() const {
    if (options.device == "cpu") return simulated_slots();
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    HostGpus gpus =
        host_gpus("/proc/driver/nvidia",
                  visible == nullptr ? std::nullopt : std::optional<std::string>(visible));
    if (!gpus.ask_driver) return std::move(gpus.uuids);
    Command command;
    command.arguments = {program().string(), "list", "--json"};
    return gpus_in_list(kernelloop::run(command).output);
  }

  // A GPU that this step has for itself, where there are several.
  void choose_device() {
    if (lease || options.only_described) return;
    if (!choice) choice = devices_to_choose_from();
    // One alone is taken when it is used: the worker can start while another step still has it.
    if (options.device == "cuda" && choice->size() < 2) return;
    lease = lease_one_of(*choice, options.company);
  }

  // For a worker that runs on the device that was chosen.
  [[nodiscard]] std::vector<std::string> variables() const {
    if (!lease || !choice || choice->empty() || options.device != "cuda") return {};
    return {"CUDA_VISIBLE_DEVICES=" + lease->uuid};
  }

  WorkerStart worker_start() {
    WorkerStart start;
    start.variables = variables();
    start.program = program();
    start.device = options.device;
    start.preload = preload;
    start.memory_limit = options.memory_limit != 0 ? options.memory_limit : half_of_memory();
    if (!copies) copies.emplace();
    start.artifacts = copies->path();
    for (const Artifact& artifact : artifacts) {
      if (!artifact.host_code) continue;
      start.foreign_library = true;
      start.readable.push_back(artifact.path.parent_path());
    }
    return start;
  }

  // Starts a process and asks it what its device is.
  Exchange begin(SandboxProof proof) {
    WorkerStart start = worker_start();
    confined = confine_worker(start, proof);
    sandboxed = start.sandbox.has_value();
    process = std::make_unique<WorkerProcess>(start);
    if (const std::string memory = process->memory_text(); !memory.empty()) {
      confined += "; " + memory;
    }
    return process->ask(Json{{"op", "describe"}, {"times", options.times}}, {}, k_describe_timeout);
  }

  void start() {
    if (process) return;
    choose_device();
    loaded.clear();
    reached = false;
    Exchange exchange = begin(SandboxProof::there);
    if (exchange.end == Exchange::End::died && sandboxed && !sandbox_problem().empty()) {
      exchange = begin(SandboxProof::works);
    }
    if (exchange.end != Exchange::End::replied) {
      const std::string what = exchange.end == Exchange::End::timed_out
                                   ? "did not answer within " + seconds_text(k_describe_timeout)
                                   : exchange.how_it_died;
      const std::string output = printed(process->output());
      process.reset();
      fail(ExitCode::environment, "the device worker for '{}' {} before it was ready{}",
           options.device, what, output);
    }
    throw_error(exchange.reply);
    require_preloaded(preload, process->output());
    description = description_from_json(exchange.reply.at("device"));
    description->confinement = confined + "; " + description->confinement;
    if (options.times) load_monitor();
  }

  // What the driver tells is asked here, since in a sandbox it tells of its own processes only.
  void load_monitor() {
    if (monitor.valid() || neighbours || description->uuid.empty()) return;
    monitor = std::async(std::launch::async,
                         [uuid = description->uuid] { return std::make_shared<GpuMonitor>(uuid); });
  }

  Neighbours& others() {
    if (neighbours) return *neighbours;
    if (options.look_for_others) return neighbours.emplace(options.look_for_others);
    load_monitor();
    if (!monitor.valid()) return neighbours.emplace([] { return std::vector<unsigned>(); });
    return neighbours.emplace([asked = monitor.get()] {
      const std::vector<pid_t> family = family_of(::getpid(), k_most_family);
      return asked->foreign_processes({family.begin(), family.end()});
    });
  }

  void throw_error(const Json& reply) {
    if (!reply.contains("error")) return;
    const Json& error = reply.at("error");
    const auto code = static_cast<ExitCode>(error.at("code").get<int>());
    const std::string message = error.at("message").get<std::string>();
    process.reset();
    throw Error(code, message);
  }

  // The reply, or the fault that came instead of one.
  struct Answer {
    Json reply;
    Fault fault;
  };
  Answer ask(const Json& request, const std::vector<const TensorArena*>& arenas,
             milliseconds timeout) {
    std::vector<int> memories;
    for (const TensorArena* arena : arenas) {
      memories.push_back(arena->state().input_memory.get());
      memories.push_back(arena->state().output_memory.get());
    }
    Exchange exchange = process->ask(request, memories, timeout);
    Answer answer;
    if (exchange.end == Exchange::End::replied) {
      if (!reached) throw_error(exchange.reply);
      answer.fault = read([&] {
        // The worker has no errors of its own any more, but for want of memory.
        if (exchange.reply.contains("error")) fail(ExitCode::internal, "it is an error");
        const bool final = exchange.reply.value("final", false);
        answer.reply = std::move(exchange.reply);
        if (final) process.reset();
      });
      return answer;
    }
    if (exchange.end == Exchange::End::timed_out) {
      answer.fault = {FaultKind::timeout,
                      fmt::format("killed: no end after {} (an endless loop, a wait for something "
                                  "that never comes, or far too slow){}",
                                  seconds_text(timeout), printed(process->output()))};
    } else if (auto finding = first_finding(process->output()); finding && !preload.empty()) {
      answer.fault = *finding;
    } else {
      answer.fault = {FaultKind::crash, fmt::format("the worker {}{}", exchange.how_it_died,
                                                    printed(process->output()))};
    }
    process.reset();
    return answer;
  }

  // Calls `use`, which takes a reply apart. What it cannot make sense of is the candidate's fault,
  // if one can have written it; nothing that it says is repeated.
  template <typename Use>
  Fault read(const Use& use) {
    try {
      use();
      return {};
    } catch (const std::exception& error) {
      if (!reached) fail(ExitCode::internal, "cannot read the worker's reply: {}", error.what());
    }
    const std::string output = process ? printed(process->output()) : std::string();
    process.reset();
    return {FaultKind::crash,
            "the worker sent a reply that is not its own: code of the version writes into its "
            "channel, destroys its memory, or takes all there is" +
                output};
  }

  // One set of samples, in a worker that has what it takes.
  TimeResult time_once(const TimeRequest& request) {
    TimeResult result;
    Answer answer = ask(time_request(request), request.sets, request.timeout);
    if (!answer.fault) {
      answer.fault = read([&] {
        result = time_result_from_reply(answer.reply);
        check_reply(result, request);
      });
    }
    if (answer.fault) {
      result = {};
      result.fault = answer.fault;
      // A worker that dies cannot say whose launch it was.
      if (request.variants.size() == 1) result.faulty_variant = 0;
    }
    return result;
  }

  RoofValue roof_once(const Roof& roof, std::int64_t bytes) {
    Answer answer =
        ask(Json{{"op", "roof"}, {"name", roof.name}, {"bytes", bytes}}, {}, k_roof_timeout);
    RoofValue value;
    if (!answer.fault) {
      answer.fault = read([&] {
        answer.reply.at("value").get_to(value.value);
        answer.reply.at("clock_mhz").get_to(value.clock_mhz);
      });
    }
    if (answer.fault) {
      fail(ExitCode::environment, "measuring the roof '{}' failed: {}", roof.name,
           answer.fault.message);
    }
    return value;
  }

  // Starts a worker if need be and loads what `modules` name.
  struct Loading {
    Fault fault;
    int module = -1;  // the faulty one
  };
  Loading prepare(const std::vector<int>& modules) {
    for (const int module : modules) {
      if (module < 0 || static_cast<std::size_t>(module) >= artifacts.size()) {
        fail(ExitCode::internal, "no module {} has been loaded", module);
      }
    }
    start();
    if (!lease && !description->uuid.empty()) {
      lease = lease_one_of({description->uuid}, options.company);
    }
    for (const int module : modules) {
      if (loaded.count(module) != 0) continue;
      const Artifact& artifact = artifacts[static_cast<std::size_t>(module)];
      reached = reached || options.device == "cpu" || artifact.host_code;
      Answer answer = ask(load_request(module, as_worker_sees(module)), {}, k_load_timeout);
      Fault fault = answer.fault;
      if (!fault) {
        const Fault unreadable = read([&] { fault = fault_from_json(answer.reply.at("fault")); });
        if (unreadable) fault = unreadable;
      }
      if (fault.kind == FaultKind::crash) {
        fault = {FaultKind::load_failed,
                 fmt::format("loading {}: {}", artifact.path.filename().string(), fault.message)};
      }
      if (fault) return {fault, module};
      loaded.insert(module);
    }
    return {};
  }
};

Worker::Worker(WorkerOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
}

Worker::~Worker() = default;

const DeviceDescription& Worker::device() {
  if (!impl_->description) impl_->start();
  return *impl_->description;
}

std::shared_ptr<const DeviceLease> Worker::lease() const { return impl_->lease; }

int Worker::load(const Artifact& artifact) {
  if (impl_->options.device == "cpu") {
    for (std::string& runtime : sanitizer_runtimes(artifact.path)) {
      std::vector<std::string>& preload = impl_->preload;
      if (std::find(preload.begin(), preload.end(), runtime) != preload.end()) continue;
      preload.push_back(std::move(runtime));
      // A running worker cannot get the runtime any more: the next one has it from the start.
      impl_->process.reset();
    }
  }
  impl_->artifacts.push_back(artifact);
  impl_->make_copy(impl_->artifacts.size() - 1);
  // It needs more of the system than a running worker sees.
  if (artifact.host_code && impl_->sandboxed) impl_->process.reset();
  return static_cast<int>(impl_->artifacts.size()) - 1;
}

void Worker::warm_up() {
  std::vector<int> modules(impl_->artifacts.size());
  std::iota(modules.begin(), modules.end(), 0);
  impl_->prepare(modules);
}

RunResult Worker::run(const RunRequest& request, int module) {
  RunResult result;
  if (Impl::Loading loading = impl_->prepare({module}); loading.fault) {
    result.fault = loading.fault;
    return result;
  }
  Impl::Answer answer = impl_->ask(run_request(request, module), {request.arena}, request.timeout);
  if (!answer.fault) {
    answer.fault = impl_->read([&] {
      result = run_result_from_reply(answer.reply);
      check_reply(result, request);
    });
  }
  if (answer.fault) {
    result = {};
    result.fault = answer.fault;
  }
  return result;
}

ToolResult Worker::check(SanitizerTool tool, const RunRequest& request, int module) {
  if (impl_->options.device != "cuda") {
    fail(ExitCode::internal, "compute-sanitizer watches GPUs only");
  }
  ToolResult result;
  if (Impl::Loading loading = impl_->prepare({module}); loading.fault) {
    result.reason = loading.fault.message;
    return result;
  }
  const Impl::Tool& program = impl_->compute_sanitizer();
  if (program.version.empty()) {
    result.reason =
        program.path.empty()
            ? "there is no compute-sanitizer on this machine (not in PATH, CUDA_HOME or "
              "/usr/local/cuda)"
            : program.path.string() + " does not answer as compute-sanitizer does";
    return result;
  }
  ToolRun wanted;
  wanted.tool_program = program.path;
  wanted.program = impl_->program();
  wanted.tool = tool;
  wanted.artifact = &impl_->artifacts[static_cast<std::size_t>(module)];
  wanted.request = &request;
  wanted.variables = impl_->variables();
  result = run_under_tool(wanted);
  result.version = program.version;
  return result;
}

NcuResult Worker::profile(const RunRequest& request, int module) {
  if (impl_->options.device != "cuda") fail(ExitCode::internal, "ncu watches GPUs only");
  NcuResult result;
  NcuRun wanted;
  wanted.ncu = find_ncu();
  if (wanted.ncu.empty()) {
    result.reason =
        "there is no ncu on this machine (not in PATH, CUDA_HOME or /usr/local/cuda), or "
        "KERNELLOOP_NCU is off";
    return result;
  }
  if (Impl::Loading loading = impl_->prepare({module}); loading.fault) {
    result.reason = loading.fault.message;
    return result;
  }
  impl_->process.reset();
  wanted.program = impl_->program();
  wanted.artifact = &impl_->artifacts[static_cast<std::size_t>(module)];
  wanted.request = &request;
  wanted.variables = impl_->variables();
  return run_under_ncu(wanted);
}

TimeResult Worker::time(const TimeRequest& request) {
  std::vector<int> modules;
  for (const TimeRequest::Variant& variant : request.variants) modules.push_back(variant.module);
  TimeResult result;
  if (Impl::Loading loading = impl_->prepare(modules); loading.fault) {
    result.fault = loading.fault;
    result.faulty_variant = static_cast<int>(
        std::find(modules.begin(), modules.end(), loading.module) - modules.begin());
    return result;
  }
  return impl_->others().time([&] { return impl_->time_once(request); });
}

RoofValue Worker::measure_roof(const Roof& roof, std::int64_t bytes) {
  if (impl_->options.device != "cuda") fail(ExitCode::internal, "an emulation has no roofs");
  impl_->prepare({});
  return impl_->others().measure([&] { return impl_->roof_once(roof, bytes); });
}

}  // namespace kernelloop
