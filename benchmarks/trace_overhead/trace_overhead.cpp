// What recording costs: each kernel in its plain build, in its traced build without a buffer and in
// its traced build that records, cold, in random order within each round of one run.
#include "device/cuda_harness.hpp"
#include "device/cuda_module.hpp"
#include "support/error.hpp"
#include "support/statistics.hpp"

#include <fmt/format.h>

#include "trace/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

namespace kernelloop {
namespace {

constexpr int k_rounds = 300;
constexpr double k_target_us = 100;
constexpr std::size_t k_tensor_bytes = std::size_t{160} << 20;  // the most that a kernel copies
constexpr std::size_t k_trace_bytes = std::size_t{192} << 20;   // as the trace step has it
constexpr const char* k_target = "kernelloop_trace_target";

struct Workload {
  const char* name;
  const char* kernel;
  std::int64_t blocks;
  std::int64_t shared_bytes;  // 120 KiB: one block at a time on a multiprocessor
  bool adjustable;            // its last argument sets how long it takes
  bool tiny = false;          // scopes of some 70 instructions of a warp: shown, but no aim
};

// A few waves on an H200, and many blocks: of 30 and of 7 microseconds.
constexpr Workload k_workloads[] = {
    {"arithmetic, 396 blocks", "busy", std::int64_t{132} * 3, 120 << 10, true},
    {"arithmetic, 4096 blocks", "busy", 4096, 0, true},
    {"arithmetic, tiny scopes", "busy", 16384, 0, true, true},
    {"copy, ten scopes", "copy", 4096, 0, false},
    {"copy, no scopes", "copy_unmarked", 16384, 0, false},
};

struct Gpu {
  CudaDriver driver = CudaDriver::load();
  CUdevice device = first_device(driver);
  CudaContext context{driver, device};
  CudaHarness harness{driver, device};
  CudaModule plain{driver, device};
  CudaModule traced{driver, device};
  CudaMemory x = allocate(driver, k_tensor_bytes);
  CudaMemory y = allocate(driver, k_tensor_bytes);
  CudaMemory trace = allocate(driver, k_trace_bytes);

  Gpu() {
    harness.prepare_timing();
    harness.fill(x.get(), k_tensor_bytes);
    const std::vector<std::string> kernels{"busy", "copy", "copy_unmarked"};
    for (const auto& [module, path] :
         {std::pair{&plain, TRACE_OVERHEAD_PLAIN}, std::pair{&traced, TRACE_OVERHEAD_TRACED}}) {
      require(module->open({path, kernels}));
    }
    if (traced.variable(k_target, sizeof(trace::Target)) == 0) {
      fail(ExitCode::internal, "the traced kernels have no {}", k_target);
    }
  }

  static CUdevice first_device(const CudaDriver& driver) {
    CUdevice device = 0;
    driver.check(driver.cuDeviceGet(&device, 0), "choosing a GPU");
    return device;
  }

  static void require(const Fault& fault) {
    if (fault) fail(ExitCode::environment, "{}", fault.message);
  }

  [[nodiscard]] CudaLimits limits() const {
    const auto attribute = [&](CUdevice_attribute which) {
      int value = 0;
      driver.check(driver.cuDeviceGetAttribute(&value, which, device), "asking for a limit");
      return static_cast<std::int64_t>(value);
    };
    return {attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
            {attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), 1, 1},
            {attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), 1, 1}};
  }

  std::vector<CudaCall> bind(CudaModule& module, const ResolvedPlan& plan) {
    std::vector<CudaCall> calls;
    const CudaAddresses addresses{{{"x", x.get()}, {"y", y.get()}}, 0};
    require(module.bind(plan, addresses, limits(), calls));
    return calls;
  }

  // What the traced kernels do from now on.
  void aim(const trace::Target& target) {
    driver.check(driver.cuMemcpyHtoDAsync(traced.variable(k_target, sizeof target), &target,
                                          sizeof target, harness.stream()),
                 "telling the kernels where to record");
    driver.check(harness.synchronize(), "telling the kernels where to record");
  }

  // One cold launch, in microseconds. The target is always written, so that it costs all alike.
  double time(const CudaModule& module, const std::vector<CudaCall>& calls,
              const trace::Target& target) {
    harness.flush_l2();
    aim(target);
    const auto sample = harness.time(1, [&] {
      require(module.launch(calls, harness.stream()));
      return true;
    });
    return sample->microseconds;
  }
};

ResolvedPlan plan_of(const Workload& workload, int work) {
  ResolvedLaunch launch;
  launch.kernel = workload.kernel;
  launch.grid = {workload.blocks, 1, 1};
  launch.block = {256, 1, 1};
  launch.dynamic_shared_bytes = workload.shared_bytes;
  for (const char* tensor : {"x", "y"}) {
    ResolvedArgument argument;
    argument.kind = ResolvedArgument::Kind::tensor;
    argument.tensor = tensor;
    launch.arguments.push_back(argument);
  }
  ResolvedArgument last;
  last.bytes.resize(sizeof work);
  std::memcpy(last.bytes.data(), &work, sizeof work);
  launch.arguments.push_back(last);
  ResolvedPlan plan;
  plan.launches = {launch};
  return plan;
}

// How much work takes the time aimed at.
int work_for(Gpu& gpu, const Workload& workload) {
  if (!workload.adjustable) return 0;
  constexpr int k_guess = 400;
  const auto median_of = [&](int work) {
    const std::vector<CudaCall> calls = gpu.bind(gpu.plain, plan_of(workload, work));
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(gpu.time(gpu.plain, calls, {}));
    return median(std::move(times));
  };
  const double empty = median_of(0);
  const double guess = median_of(k_guess);
  return std::max(1, static_cast<int>((k_target_us - empty) / (guess - empty) * k_guess));
}

// Prints a line; how much longer the kernel takes when it records.
double measure(Gpu& gpu, const Workload& workload, std::mt19937& random) {
  const ResolvedPlan plan = plan_of(workload, work_for(gpu, workload));
  const TraceLayout layout = lay_out_trace(plan, k_trace_bytes);
  const std::vector<CudaCall> plain = gpu.bind(gpu.plain, plan);
  const std::vector<CudaCall> traced = gpu.bind(gpu.traced, plan);
  std::array<std::vector<double>, 3> times;
  std::array<int, 3> order{0, 1, 2};
  for (int round = -3; round < k_rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int which : order) {
      const trace::Target target =
          which == 2 ? layout.launches[0].target(gpu.trace.get()) : trace::Target{};
      const double us =
          which == 0 ? gpu.time(gpu.plain, plain, target) : gpu.time(gpu.traced, traced, target);
      if (round >= 0) times[static_cast<std::size_t>(which)].push_back(us);
    }
  }
  const double without = median(std::move(times[0]));
  const double off = median(std::move(times[1])) / without;
  const double on = median(std::move(times[2])) / without;
  fmt::print("{:<25} {:>6} {:>7} {:>9.2f} {:>9.4f} {:>10.4f}\n", workload.name, workload.blocks,
             layout.launches[0].mark_slots(), without, off, on);
  return on;
}

int run_all() {
  Gpu gpu;
  std::mt19937 random(1);
  fmt::print("{:<25} {:>6} {:>7} {:>9} {:>9} {:>10}\n", "kernel", "blocks", "marked", "plain us",
             "off/plain", "on/plain");
  double slowest = 0;
  double tiny = 0;
  for (const Workload& workload : k_workloads) {
    double& worst = workload.tiny ? tiny : slowest;
    worst = std::max(worst, measure(gpu, workload, random));
  }
  fmt::print("recording costs {:.1f} % at most, {:.1f} % with tiny scopes; the aim is 5 %\n",
             100 * (slowest - 1), 100 * (tiny - 1));
  return 0;
}

}  // namespace
}  // namespace kernelloop

int main() {
  try {
    return kernelloop::run_all();
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "trace_overhead: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const kernelloop::CudaFailure& failure) {
    fmt::print(stderr, "trace_overhead: {}\n", failure.what());
    return static_cast<int>(kernelloop::ExitCode::environment);
  }
}
