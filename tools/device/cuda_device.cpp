#include "device/cuda_device.hpp"

#include "device/baseline_module.hpp"
#include "device/compute_sanitizer.hpp"
#include "device/cuda_activity.hpp"
#include "device/cuda_buffers.hpp"
#include "device/cuda_counters.hpp"
#include "device/cuda_roofs.hpp"
#include "device/cuda_timing.hpp"
#include "device/cuda_trace.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <future>
#include <optional>

namespace kernelloop {
namespace {

std::string driver_version(int cuda_version) {
  std::string text;
  std::ifstream file("/sys/module/nvidia/version");
  std::getline(file, text);
  return fmt::format("{}{}CUDA {}.{}", text, text.empty() ? "" : ", ", cuda_version / 1000,
                     cuda_version % 1000 / 10);
}

// "GPU-01234567-89ab-...", as nvidia-smi prints it.
std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int ordinal) : driver_(CudaDriver::load()) {
    driver_.check(driver_.cuDeviceGet(&device_, ordinal), "opening the GPU");
    limits_.shared_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    limits_.grid = {attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                    attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                    attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
    limits_.block = {attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                     attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                     attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  }

  DeviceDescription describe() override {
    DeviceDescription result;
    result.kind = "cuda";
    std::array<char, 256> name{};
    driver_.check(driver_.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device_),
                  "asking for the GPU's name");
    result.name = name.data();
    result.uuid = uuid();
    result.architecture =
        fmt::format("sm_{}{}", attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                    attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    int version = 0;
    driver_.check(driver_.cuDriverGetVersion(&version), "asking for the driver's version");
    result.driver = driver_version(version);
    result.multiprocessors = static_cast<int>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    result.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    std::size_t memory = 0;
    driver_.check(driver_.cuDeviceTotalMem(&memory, device_), "asking for the GPU's memory");
    result.memory_bytes = static_cast<std::int64_t>(memory);
    // Two transfers per clock; the clock is in kHz, the bus width in bits.
    result.datasheet_bandwidth =
        2.0 * static_cast<double>(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)) * 1000.0 *
        static_cast<double>(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)) / 8.0;
    result.highest_clock_hz =
        static_cast<double>(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)) * 1000.0;
    result.limits.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    result.limits.max_shared_bytes = limits_.shared_bytes;
    result.limits.max_grid = limits_.grid;
    result.limits.max_block = limits_.block;
    // So much there is beside the tensors of any sensible shape.
    result.limits.max_workspace_bytes = result.memory_bytes / 4;
    return result;
  }

  Fault load(int module, const Artifact& artifact) override {
    open();
    if (artifact.host_code) {
      BaselineModule baseline;
      Fault fault = baseline.open(artifact.path);
      if (!fault) baselines_.insert_or_assign(module, baseline);
      return fault;
    }
    CudaModule loaded(driver_, device_);
    Fault fault = loaded.open(artifact);
    if (!fault) modules_.emplace(module, std::move(loaded));
    return fault;
  }

  RunResult run(const RunJob& job) override {
    RunResult result;
    CudaBuffers buffers(driver_, device_, *harness_, job.tensors, job.plan.workspace_bytes,
                        job.placement);
    result.placement = buffers.placement();
    if (result.placement == Placement::bare) result.addresses = buffers.named_addresses();
    CudaLaunches launches;
    result.fault = bind(job.module, job.plan, buffers, launches);
    if (result.fault) return result;
    if (!job.uninitialised) {
      buffers.poison(job.poison);
      harness_->scrub();
    }
    driver_.check(harness_->synchronize(), "preparing a run");
    result.fault = guarded(driver_, job.plan, [&]() -> Fault {
      if (job.trace) return trace(job, buffers, result.traced_us);
      if (job.watch) {
        if (Fault fault = watch(launches, buffers, job.poison, result.activity)) return fault;
      }
      if (!job.count.empty()) return count(launches, buffers, job, result.counters);
      if (job.watch) return {};
      if (Fault refused = launches.enqueue()) return refused;
      driver_.check(harness_->synchronize(), "running");
      return buffers.damage();
    });
    if (result.fault) return result;
    result.input_protection = buffers.input_protection();
    result.changed_inputs = buffers.changed_inputs();
    if (job.digest_seed) result.digest = buffers.hash_of_outputs(*job.digest_seed);
    const bool known = job.known_digest && result.digest == job.known_digest;
    if (job.outputs && !known) buffers.download_outputs();
    return result;
  }

  void expect_times() override { loading_ = std::async(std::launch::async, load_counters); }

  TimeResult time(const TimeJob& job) override {
    if (loading_.valid()) loading_.get();  // nothing else goes on while something is timed
    harness_->prepare_timing();
    if (!monitor_) monitor_.emplace(uuid());
    return CudaTiming({driver_, device_, *harness_, *monitor_,
                       attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)},
                      job,
                      [&](std::size_t variant, const CudaBuffers& buffers, CudaLaunches& launches) {
                        const TimeRequest::Variant& wanted = job.variants[variant];
                        return bind(wanted.module, wanted.plan, buffers, launches);
                      })
        .run();
  }

  void plant(SanitizerTool tool) override {
    open();
    try {
      harness_->plant(planted_kernel(tool).c_str());
    } catch (const CudaFailure&) {
      // The tool ends the context when it finds the fault.
    }
  }

  RoofValue measure_roof(const Roof& roof, std::int64_t bytes) override {
    open();
    harness_->prepare_timing();
    return CudaRoofs(driver_, device_, *harness_).measure(roof, bytes);
  }

 private:
  [[nodiscard]] std::string uuid() const {
    CUuuid uuid{};
    driver_.check(driver_.cuDeviceGetUuid(&uuid, device_), "asking for the GPU's UUID");
    return uuid_text(uuid);
  }

  [[nodiscard]] std::int64_t attribute(CUdevice_attribute which) const {
    int value = 0;
    driver_.check(driver_.cuDeviceGetAttribute(&value, which, device_),
                  "asking for the GPU's attributes");
    return value;
  }

  Fault trace(const RunJob& job, CudaBuffers& buffers, std::vector<double>& traced_us) {
    CudaModule& module = loaded(modules_, job.module);
    std::vector<CudaCall> calls;
    if (Fault fault = module.bind(job.plan, buffers.addresses(), limits_, calls)) return fault;
    CudaTracer tracer(driver_, *harness_, module, *job.trace, buffers.addresses());
    if (Fault fault = tracer.run(calls, traced_us)) return fault;
    return buffers.damage();
  }

  Fault count(const CudaLaunches& launches, CudaBuffers& buffers, const RunJob& job,
              CounterResult& counters) {
    Fault refused;
    counters = count_events(
        job.count,
        [&] {
          buffers.poison(job.poison);
          harness_->flush_l2();
        },
        [&] {
          if (Fault fault = launches.enqueue()) refused = std::move(fault);
          driver_.check(harness_->synchronize(), "running while it is counted");
        });
    return refused ? refused : buffers.damage();
  }

  Fault watch(const CudaLaunches& launches, CudaBuffers& buffers, const Poison& poison,
              ActivityResult& activity) {
    constexpr int k_iterations = 5;
    harness_->prepare_timing();
    // What is loaded late must be before the stream is held.
    Fault refused = launches.enqueue();
    driver_.check(harness_->synchronize(), "running");
    if (refused) return refused;
    activity = record_activity(k_iterations, [&](const ActivityBracket& bracket) {
      buffers.poison(poison);
      harness_->scrub();
      harness_->flush_l2();
      const auto sample = harness_->time(launches.operations, [&] {
        bracket([&] { refused = launches.enqueue(); });
        return !refused;
      });
      return sample ? sample->microseconds : 0.0;
    });
    activity.held = launches.operations <= CudaHarness::k_most_held_operations;
    return refused ? refused : buffers.damage();
  }

  // The context comes with the first load: a description needs none.
  void open() {
    if (harness_) return;
    context_.emplace(driver_, device_);
    harness_.emplace(driver_, device_);
  }

  template <typename Module>
  static Module& loaded(std::map<int, Module>& modules, int number) {
    const auto found = modules.find(number);
    if (found == modules.end()) fail(ExitCode::internal, "module {} is not loaded", number);
    return found->second;
  }

  // Makes the launches of a plan on these buffers ready, or has a baseline make them.
  Fault bind(int number, const ResolvedPlan& plan, const CudaBuffers& buffers,
             CudaLaunches& launches) {
    const CUstream stream = harness_->stream();
    if (plan.host) {
      const BaselineModule& baseline = loaded(baselines_, number);
      // Libraries launch a handful of kernels, and may do what a graph cannot hold.
      launches.operations = 16;
      launches.recordable = false;
      launches.enqueue = [&baseline, call = *plan.host, tensors = buffers.for_baseline(), stream] {
        return baseline.run(call, tensors, stream);
      };
      return {};
    }
    CudaModule& module = loaded(modules_, number);
    std::vector<CudaCall> calls;
    if (Fault fault = module.bind(plan, buffers.addresses(), limits_, calls)) return fault;
    launches.operations = calls.size();
    launches.enqueue = [&module, calls = std::move(calls), stream] {
      return module.launch(calls, stream);
    };
    return {};
  }

  CudaDriver driver_;
  CUdevice device_ = 0;
  CudaLimits limits_;
  std::optional<CudaContext> context_;
  std::optional<CudaHarness> harness_;
  std::optional<GpuMonitor> monitor_;  // from the first timing on
  std::future<void> loading_;          // of the counters
  std::map<int, CudaModule> modules_;
  std::map<int, BaselineModule> baselines_;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device() {
  try {
    return std::make_unique<CudaDevice>(0);
  } catch (const CudaFailure& failure) {
    fail(ExitCode::environment, "the GPU cannot be used: {}", failure.what());
  }
}

std::vector<DeviceDescription> list_cuda_devices() {
  const CudaDriver driver = CudaDriver::load();
  int count = 0;
  std::vector<DeviceDescription> devices;
  try {
    driver.check(driver.cuDeviceGetCount(&count), "counting the GPUs");
    for (int i = 0; i < count; ++i) devices.push_back(CudaDevice(i).describe());
  } catch (const CudaFailure& failure) {
    fail(ExitCode::environment, "the GPUs cannot be listed: {}", failure.what());
  }
  return devices;
}

}  // namespace kernelloop
