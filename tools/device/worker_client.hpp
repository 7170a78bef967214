// The trusted side of a device worker: one disposable process that loads candidates' code.
//
// The parent (verify, bench) owns inputs, seeds, expected values and verdicts. The worker owns a
// device context and sees only resolved launches and buffers. Whatever a candidate does to its
// worker (fault, hang, crash, garbage on stdout) comes back as a Fault; the next request gets a
// fresh worker.
#pragma once

#include "device/activity.hpp"
#include "device/device_lock.hpp"
#include "device/fault.hpp"
#include "device/placement.hpp"
#include "device/poison.hpp"
#include "device/roof.hpp"
#include "device/timing.hpp"
#include "plan/launch_plan.hpp"
#include "support/json.hpp"

#include "trace/layout.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {

struct DeviceDescription {
  std::string kind;          // "cuda" | "cpu"
  std::string name;          // "NVIDIA H200"; the processor's name for cpu
  std::string uuid;          // empty for cpu
  std::string architecture;  // "sm_90"; empty for cpu
  std::string driver;        // "580.159" / CUDA version; compiler for cpu
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  double datasheet_bandwidth = 0;  // bytes/s from bus width and memory clock; 0 unknown
  double highest_clock_hz = 0;     // of the multiprocessors, by the driver; 0 unknown
  LaunchLimits limits;
  std::string confinement;  // how the worker is confined: "process group", ...
};
Json to_json(const DeviceDescription& device);

// Memory shared between parent and worker; each tensor starts at a 256-byte boundary.
class TensorArena {
 public:
  struct Slot {
    std::string name;
    std::size_t bytes = 0;
    bool output = false;
    std::size_t alignment = 16;  // of its first byte on the device, as the spec promises it
  };
  explicit TensorArena(const std::vector<Slot>& slots);  // Error(io) when memory is short
  ~TensorArena();
  TensorArena(TensorArena&&) noexcept;
  TensorArena& operator=(TensorArena&&) noexcept;
  [[nodiscard]] std::span<std::byte> bytes(const std::string& name) const;

  // Gives the memory to other tensors when it is large enough, with whatever it holds; false, and
  // no change, when it is not. Taking memory from the system costs more than filling it.
  [[nodiscard]] bool reslice(const std::vector<Slot>& slots);
  [[nodiscard]] std::size_t capacity() const noexcept;  // in bytes, of inputs and outputs together

  struct State;
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct Artifact {
  std::filesystem::path path;  // cubin for cuda, shared object for cpu
  std::vector<std::string> kernels;
  bool host_code = false;  // a baseline's library: its plans hold a HostCall
};

// A traced build records into an output tensor of the arena.
struct TraceBuffer {
  TraceLayout layout;
  std::string tensor;
};

// What the hardware counted during the launches of a plan.
struct CounterResult {
  std::string chip;  // "GH100"
  std::size_t passes = 0;
  std::map<std::string, double> values;  // by metric
  std::string reason;                    // why there are none
};

// One correctness run: upload inputs, poison outputs and workspace, launch, download outputs into
// the arena. Every run has buffers of its own, so nothing of an earlier one is left in them. Inputs
// are hashed on their device copies before and after; fenced ones are mapped for reading only where
// the device can.
struct RunRequest {
  const TensorArena* arena = nullptr;
  ResolvedPlan plan;
  Poison poison;               // of outputs and workspace before the launch
  bool uninitialised = false;  // cuda: no poison; a tool watches for reads before writes
  Placement placement = Placement::margins;
  std::uint64_t schedule_seed = 0;  // cpu: order of threads; 0 = in order
  // cuda: the module is a traced build. It runs some times to warm up and to be timed, then once
  // more with cold caches for the trace.
  std::optional<TraceBuffer> trace;
  // cuda: the plan runs again and again, cold, while these metrics (counters/metrics.hpp) are
  // counted, as far as the chip has them.
  std::vector<std::string> count;
  // cuda: the plan runs some times more, cold, while what the GPU does is recorded.
  bool watch = false;
  bool outputs = true;                       // come back into the arena
  std::optional<std::uint64_t> digest_seed;  // of a digest of the outputs; none without
  // Outputs of this digest need not come back: the caller knows them.
  std::optional<std::uint64_t> known_digest;
  std::chrono::milliseconds timeout{60000};
};
struct RunResult {
  Fault fault;
  std::vector<std::string> changed_inputs;   // inputs whose bytes the candidate changed
  Placement placement = Placement::margins;  // the one in force: not every device can fence
  // What kept the inputs as they were: "hash" (a change is found afterwards) or "read_only" (a
  // store to them faults). Empty when the run did not end.
  std::string input_protection{};
  // Where the tensors and the workspace were; only of Placement::bare.
  std::map<std::string, std::uint64_t> addresses{};
  // Of a trace: what a cold launch takes while it records; empty for plans of several launches,
  // which are recorded one by one.
  std::vector<double> traced_us{};
  CounterResult counters{};
  ActivityResult activity{};
  // Of the outputs, where it was asked for and the run ended; with one seed equal only for equal
  // outputs.
  std::optional<std::uint64_t> digest{};
};

// The tools of compute-sanitizer (cuda).
enum class SanitizerTool { memcheck, racecheck, initcheck, synccheck };
const char* name_of(SanitizerTool tool);

// A correctness run that one of them watched.
struct ToolResult {
  enum class Outcome { clean, found, unavailable };
  Outcome outcome = Outcome::unavailable;
  std::string reason;   // unavailable: why nothing can be said
  std::string version;  // of the tool; empty when there is none
  Fault finding;        // found: the first, with kernel and file:line
  RunResult run;        // as the device saw it; its fault may be the tool's doing
};

// What `ncu --csv` prints of a run's launches; counters/ncu_csv.hpp reads both texts.
struct NcuResult {
  std::string version;  // "2025.3.1.0"
  std::string raw;      // `--page raw --print-units base`
  std::string details;  // `--page details`
  std::string reason;   // why there is nothing; then the texts are empty
};

struct WorkerOptions {
  std::string device;             // "cuda" | "cpu"
  std::filesystem::path program;  // kernelloop-device itself; empty: /proc/self/exe
  bool times = false;  // times will be asked for: what that takes is loaded while it waits
  std::size_t memory_limit = 0;     // bytes of a worker beside its tensors; 0: half the machine
  bool only_described = false;      // nothing will run: the device may be another's meanwhile
  Company company = Company::none;  // whom the step lets have the device at the same time
  // Who else computes on the device (neighbours.hpp); none: the driver is asked, of a GPU.
  std::function<std::vector<unsigned>()> look_for_others{};
};

class Worker {
 public:
  explicit Worker(WorkerOptions options);  // starts lazily
  ~Worker();                               // ends the process group
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Throws Error(environment) when the device kind is not to be had on this machine. Where there
  // are several GPUs, waits for one that is free and takes that from here on.
  const DeviceDescription& device();
  // The lease that this worker has by now; nullptr: none, or the device needs none.
  [[nodiscard]] std::shared_ptr<const DeviceLease> lease() const;
  // Loads an artifact in every worker from now on; returns its module number (0, 1, ...). A fault
  // shows at the first request that uses it.
  int load(const Artifact& artifact);
  // Starts it and loads all artifacts now, for who has something else to do meanwhile. What goes
  // wrong shows at the first request, as ever.
  void warm_up();
  RunResult run(const RunRequest& request, int module = 0);
  // One set of samples, or two: see Neighbours::time.
  TimeResult time(const TimeRequest& request);
  // One run in a worker of its own under a tool of compute-sanitizer; cuda only. Placement and
  // poison of the request are replaced by what the tool needs.
  ToolResult check(SanitizerTool tool, const RunRequest& request, int module = 0);
  // One run in a worker of its own under ncu; cuda only. Ends the worker that is there, since only
  // one process can count at a time.
  NcuResult profile(const RunRequest& request, int module = 0);
  // Roofs of memory over buffers of `bytes` each; cuda only.
  RoofValue measure_roof(const Roof& roof, std::int64_t bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kernelloop
