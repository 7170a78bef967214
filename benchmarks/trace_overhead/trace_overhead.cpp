// What recording costs: each kernel in its plain build, in its traced build without a buffer, in
// its traced build that records, and in the one for plans with more than one dimension, cold, in
// random order within each round of one run.
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
  bool tiny = false;          // scopes of one iteration: shown, but no aim
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
  CudaModule general{driver, device};
  CudaMemory x = allocate(driver, k_tensor_bytes);
  CudaMemory y = allocate(driver, k_tensor_bytes);
  CudaMemory trace = allocate(driver, k_trace_bytes);

  Gpu() {
    harness.prepare_timing();
    harness.fill(x.get(), k_tensor_bytes);
    const std::vector<std::string> kernels{"busy", "copy", "copy_unmarked"};
    for (const auto& [module, path] :
         {std::pair{&plain, TRACE_OVERHEAD_PLAIN}, std::pair{&traced, TRACE_OVERHEAD_TRACED},
          std::pair{&general, TRACE_OVERHEAD_GENERAL}}) {
      require(module->open({path, kernels}));
    }
    for (const CudaModule* module : {&traced, &general}) {
      if (module->variable(k_target, sizeof(trace::Target)) != 0) continue;
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
    for (const CudaModule* module : {&traced, &general}) {
      driver.check(driver.cuMemcpyHtoDAsync(module->variable(k_target, sizeof target), &target,
                                            sizeof target, harness.stream()),
                   "telling the kernels where to record");
    }
    driver.check(harness.synchronize(), "telling the kernels where to record");
  }

  // One cold launch, in microseconds. The targets are always written, so that it costs all alike.
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
  constexpr int k_guess = 16;
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

// How much longer the kernel takes.
struct Cost {
  double off = 0;
  double on = 0;
  double general = 0;  // on, in the build for plans with more than one dimension
};

// Prints a line, too.
Cost measure(Gpu& gpu, const Workload& workload, std::mt19937& random) {
  const ResolvedPlan plan = plan_of(workload, work_for(gpu, workload));
  const TraceLayout layout = lay_out_trace(plan, k_trace_bytes);
  const trace::Target recording = layout.launches[0].target(gpu.trace.get());
  struct Variant {
    CudaModule* module;
    trace::Target target;
    std::vector<CudaCall> calls;
    std::vector<double> times;
  };
  std::array<Variant, 4> variants{{{&gpu.plain, {}, {}, {}},
                                   {&gpu.traced, {}, {}, {}},
                                   {&gpu.traced, recording, {}, {}},
                                   {&gpu.general, recording, {}, {}}}};
  std::array<Variant*, variants.size()> order{};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    variants[i].calls = gpu.bind(*variants[i].module, plan);
    order[i] = &variants[i];
  }
  for (int round = -3; round < k_rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Variant* const one : order) {
      const double us = gpu.time(*one->module, one->calls, one->target);
      if (round >= 0) one->times.push_back(us);
    }
  }
  const double without = median(std::move(variants[0].times));
  const Cost cost{median(std::move(variants[1].times)) / without,
                  median(std::move(variants[2].times)) / without,
                  median(std::move(variants[3].times)) / without};
  fmt::print("{:<25} {:>6} {:>7} {:>9.2f} {:>9.4f} {:>9.4f} {:>12.4f}\n", workload.name,
             workload.blocks, layout.launches[0].mark_slots(), without, cost.off, cost.on,
             cost.general);
  return cost;
}

int run_all() {
  Gpu gpu;
  std::mt19937 random(1);
  fmt::print("{:<25} {:>6} {:>7} {:>9} {:>9} {:>9} {:>12}\n", "kernel", "blocks", "marked",
             "plain us", "off/plain", "on/plain", "general on");
  Cost slowest;
  Cost tiny;
  for (const Workload& workload : k_workloads) {
    Cost& worst = workload.tiny ? tiny : slowest;
    const Cost cost = measure(gpu, workload, random);
    worst.on = std::max(worst.on, cost.on);
    worst.general = std::max(worst.general, cost.general);
  }
  fmt::print(
      "recording costs {:.1f} % at most ({:.1f} % in plans with more than one dimension), with "
      "tiny scopes {:.1f} % ({:.1f} %); the aim is 5 %\n",
      100 * (slowest.on - 1), 100 * (slowest.general - 1), 100 * (tiny.on - 1),
      100 * (tiny.general - 1));
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
