#include "device/cpu_device.hpp"

#include "device/baseline_module.hpp"
#include "device/cpu_module.hpp"
#include "device/crash_reporter.hpp"
#include "device/guarded_buffer.hpp"
#include "device/sampling.hpp"
#include "support/error.hpp"

#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <thread>

namespace kernelloop {
namespace {

using Clock = std::chrono::steady_clock;

std::string processor_name() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "CPU";
}

// The candidate's private copies of the tensors, inputs for reading only, and the workspace.
class Buffers {
 public:
  Buffers(const std::vector<SharedTensor>& tensors, std::int64_t workspace_bytes, bool sanitized,
          Placement placement)
      : tensors_(tensors), sanitized_(sanitized) {
    for (const SharedTensor& tensor : tensors) {
      buffers_.emplace_back(tensor.name, tensor.bytes, sanitized, placement, tensor.alignment);
      if (!tensor.output) std::copy_n(tensor.data, tensor.bytes, buffers_.back().data());
      if (!tensor.output) buffers_.back().make_read_only();
    }
    buffers_.emplace_back("workspace", static_cast<std::size_t>(workspace_bytes), sanitized,
                          placement, k_workspace_alignment);
  }

  void poison(const Poison& poison) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (i < tensors_.size() && !tensors_[i].output) continue;
      poison.fill(buffers_[i].bytes());
    }
  }

  [[nodiscard]] CpuAddresses addresses() const {
    CpuAddresses result;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      result.tensors[tensors_[i].name] = buffers_[i].data();
    }
    result.workspace = buffers_.back().data();
    return result;
  }

  [[nodiscard]] std::vector<BaselineTensor> for_baseline() const {
    std::vector<BaselineTensor> result;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      result.push_back(
          {tensors_[i].name, tensors_[i].bytes, buffers_[i].data(), tensors_[i].output});
    }
    return result;
  }

  [[nodiscard]] Fault damage() const {
    for (const GuardedBuffer& buffer : buffers_) {
      if (std::string found = buffer.damage(); !found.empty()) {
        return {FaultKind::illegal_access, std::move(found)};
      }
    }
    return {};
  }

  [[nodiscard]] std::uint64_t hash_of_outputs(std::uint64_t seed) const {
    std::uint64_t hash = seed;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].output) continue;
      hash = XXH3_64bits_withSeed(buffers_[i].data(), buffers_[i].bytes().size(), hash);
    }
    return hash;
  }

  void return_outputs() const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].output) std::copy_n(buffers_[i].data(), tensors_[i].bytes, tensors_[i].data);
    }
  }

  // Reports what the code that runs on them does to them, while it lives.
  [[nodiscard]] CrashReporter watch(const std::function<void(const Fault&)>& report) const {
    return {buffers_, sanitized_, report};
  }

 private:
  const std::vector<SharedTensor>& tensors_;
  bool sanitized_;
  std::vector<GuardedBuffer> buffers_;  // the tensors in order, then the workspace
};

// Shared memory holds before a block what outputs and workspace hold before the launch: NaN, or
// noise that differs from order to order.
CpuModule::Seeds seeds_of(const RunJob& job) {
  CpuModule::Seeds seeds;
  seeds.schedule = job.schedule_seed;
  if (job.poison.is_noise()) {
    const std::array<std::uint64_t, 2> from{job.poison.seed(), job.schedule_seed};
    seeds.noise = XXH3_64bits(from.data(), sizeof from) | 1u;
  }
  return seeds;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(std::function<void(const Fault&)> report) : report_(std::move(report)) {}

  DeviceDescription describe() override {
    DeviceDescription device;
    device.kind = "cpu";
    device.name = processor_name();
#if defined(__clang__)
    device.driver = "clang " __clang_version__;
#else
    device.driver = "g++ " __VERSION__;
#endif
    device.multiprocessors = static_cast<int>(std::thread::hardware_concurrency());
    const long cache = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    device.l2_bytes = std::max(cache, 0L);
    device.memory_bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
    // The machine has other things to do.
    device.limits.max_workspace_bytes = device.memory_bytes / 16;
    return device;
  }

  Fault load(int module, const Artifact& artifact) override {
    if (artifact.host_code) {
      BaselineModule baseline;
      Fault fault = baseline.open(artifact.path);
      if (!fault) baselines_.insert_or_assign(module, baseline);
      return fault;
    }
    CpuModule loaded;
    Fault fault = loaded.open(artifact);
    if (!fault) modules_.insert_or_assign(module, loaded);
    return fault;
  }

  RunResult run(const RunJob& job) override {
    RunResult result;
    Launcher launcher;
    Buffers buffers(job.tensors, job.plan.workspace_bytes, sanitized(job.module), job.placement);
    result.placement = job.placement;
    const CpuModule::Seeds seeds = seeds_of(job);
    result.fault = bind(job.module, job.plan, buffers, seeds, launcher);
    if (result.fault) return result;
    buffers.poison(job.poison);
    {
      const CrashReporter reporter = buffers.watch(report_);
      result.fault = launcher();
    }
    if (!result.fault) result.fault = buffers.damage();
    result.input_protection = "read_only";
    if (job.digest_seed) result.digest = buffers.hash_of_outputs(*job.digest_seed);
    const bool known = job.known_digest && result.digest == job.known_digest;
    if (job.outputs && !known) buffers.return_outputs();
    return result;
  }

  // Wall times of the emulation: there is no cache to flush and no clock to read.
  TimeResult time(const TimeJob& job) override {
    TimeResult result;
    const std::int64_t workspace = largest_workspace(job.variants);
    const bool any_sanitized =
        std::any_of(job.variants.begin(), job.variants.end(),
                    [&](const auto& variant) { return sanitized(variant.module); });
    std::vector<Buffers> sets;
    for (const std::vector<SharedTensor>& tensors : job.sets) {
      sets.emplace_back(tensors, workspace, any_sanitized, Placement::margins);
    }
    std::vector<std::vector<Launcher>> launchers(job.variants.size());  // [variant][set]
    for (std::size_t v = 0; v < job.variants.size(); ++v) {
      const auto& variant = job.variants[v];
      for (const Buffers& set : sets) {
        result.fault = bind(variant.module, variant.plan, set, {}, launchers[v].emplace_back());
        if (result.fault) return faulty(std::move(result), v);
      }
    }
    const auto take = [&](const SampleOrder& order, TimeSample& sample) -> Fault {
      Buffers& buffers = sets[order.slot];
      buffers.poison(Poison());
      const CrashReporter reporter = buffers.watch(report_);
      const Launcher& launcher = launchers[order.variant][order.slot];
      const Clock::time_point start = Clock::now();
      Fault fault = launcher();
      const Clock::duration taken = Clock::now() - start;
      sample.us = std::chrono::duration<double, std::micro>(taken).count();
      return fault ? fault : buffers.damage();
    };
    for (std::size_t v = 0; v < launchers.size(); ++v) {
      for (int i = 0; i < job.warmup; ++i) {
        TimeSample unused;
        result.fault = take({v, 0, false}, unused);
        if (result.fault) return faulty(std::move(result), v);
      }
    }
    Sampled sampled = take_samples(
        {launchers.size(), sets.size(), 1, job.stop, job.seed, job.patience}, sets.size(),
        {take, [&](std::size_t slot) { return sets[slot].hash_of_outputs(0); },
         [](std::size_t slot) { return static_cast<int>(slot); }});
    for (std::size_t set = 0; set < sets.size(); ++set) {
      if (!sampled.last_slots[set]) continue;
      if (!job.digests.empty()) {
        if (sets[set].hash_of_outputs(job.digest_seed) == job.digests.at(set)) continue;
        sampled.result.unlike.push_back(static_cast<int>(set));
      }
      sets[set].return_outputs();
    }
    return std::move(sampled.result);
  }

  void plant(SanitizerTool) override {
    fail(ExitCode::internal, "compute-sanitizer watches GPUs only");
  }

  RoofValue measure_roof(const Roof&, std::int64_t) override {
    fail(ExitCode::internal, "an emulation has no roofs");
  }

 private:
  using Launcher = std::function<Fault()>;

  // Makes the launches of a plan on these buffers, or has a baseline make them.
  Fault bind(int number, const ResolvedPlan& plan, const Buffers& buffers, CpuModule::Seeds seeds,
             Launcher& launcher) const {
    if (plan.host) {
      const BaselineModule& baseline = loaded(baselines_, number);
      launcher = [&baseline, call = *plan.host, tensors = buffers.for_baseline()] {
        return baseline.run(call, tensors, nullptr);
      };
      return {};
    }
    const CpuModule& module = loaded(modules_, number);
    std::vector<CpuCall> calls;
    if (Fault fault = module.bind(plan, buffers.addresses(), seeds, calls)) return fault;
    launcher = [&module, calls = std::move(calls)] { return module.launch(calls); };
    return {};
  }

  // Of a module of kernels that is loaded; baselines are not.
  [[nodiscard]] bool sanitized(int number) const {
    const auto found = modules_.find(number);
    return found != modules_.end() && found->second.sanitized();
  }

  template <typename Module>
  static const Module& loaded(const std::map<int, Module>& modules, int number) {
    const auto found = modules.find(number);
    if (found == modules.end()) fail(ExitCode::internal, "module {} is not loaded", number);
    return found->second;
  }

  static TimeResult faulty(TimeResult result, std::size_t variant) {
    result.faulty_variant = static_cast<int>(variant);
    return result;
  }

  std::function<void(const Fault&)> report_;
  std::map<int, CpuModule> modules_;
  std::map<int, BaselineModule> baselines_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(std::function<void(const Fault&)> report) {
  return std::make_unique<CpuDevice>(std::move(report));
}

}  // namespace kernelloop
