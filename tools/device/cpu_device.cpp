#include "device/cpu_device.hpp"

#include "device/cpu_module.hpp"
#include "device/crash_reporter.hpp"
#include "device/guarded_buffer.hpp"
#include "support/error.hpp"

#include <unistd.h>

#include <algorithm>
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
  Buffers(const std::vector<SharedTensor>& tensors, std::int64_t workspace_bytes,
          Placement placement)
      : tensors_(tensors) {
    const bool sanitized = runs_sanitized();
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

  [[nodiscard]] Fault damage() const {
    for (const GuardedBuffer& buffer : buffers_) {
      if (std::string found = buffer.damage(); !found.empty()) {
        return {FaultKind::illegal_access, std::move(found)};
      }
    }
    return {};
  }

  void return_outputs() const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].output) std::copy_n(buffers_[i].data(), tensors_[i].bytes, tensors_[i].data);
    }
  }

  [[nodiscard]] const std::vector<GuardedBuffer>& all() const noexcept { return buffers_; }

 private:
  const std::vector<SharedTensor>& tensors_;
  std::vector<GuardedBuffer> buffers_;  // the tensors in order, then the workspace
};

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
    return device;
  }

  Fault load(int module, const Artifact& artifact) override {
    CpuModule loaded;
    Fault fault = loaded.open(artifact);
    if (!fault) modules_.insert_or_assign(module, std::move(loaded));
    return fault;
  }

  RunResult run(const RunJob& job) override {
    RunResult result;
    const CpuModule& module = module_of(job.module);
    std::vector<CpuCall> calls;
    Buffers buffers(job.tensors, job.plan.workspace_bytes, job.placement);
    result.placement = job.placement;
    result.fault = module.bind(job.plan, buffers.addresses(), job.schedule_seed, calls);
    if (result.fault) return result;
    buffers.poison(job.poison);
    {
      const CrashReporter reporter(buffers.all(), report_);
      result.fault = module.launch(calls);
    }
    if (!result.fault) result.fault = buffers.damage();
    result.input_protection = "read_only";
    buffers.return_outputs();
    return result;
  }

  TimeResult time(const TimeJob& job) override {
    TimeResult result;
    std::int64_t workspace = 0;
    for (const auto& variant : job.variants) {
      workspace = std::max(workspace, variant.plan.workspace_bytes);
    }
    Buffers buffers(job.tensors, workspace, Placement::margins);
    std::vector<std::vector<CpuCall>> calls(job.variants.size());
    for (std::size_t v = 0; v < job.variants.size(); ++v) {
      const auto& variant = job.variants[v];
      result.fault = module_of(variant.module).bind(variant.plan, buffers.addresses(), 0, calls[v]);
      if (result.fault) return faulty(std::move(result), v);
    }
    result.samples_us.resize(job.variants.size());
    const CrashReporter reporter(buffers.all(), report_);
    const Clock::time_point begin = Clock::now();
    Clock::duration spent{};
    for (int round = -job.warmup; round < job.max_samples; ++round) {
      for (std::size_t v = 0; v < calls.size(); ++v) {
        buffers.poison(Poison());
        const Clock::time_point start = Clock::now();
        result.fault = module_of(job.variants[v].module).launch(calls[v]);
        const Clock::duration taken = Clock::now() - start;
        if (!result.fault) result.fault = buffers.damage();
        if (result.fault) return faulty(std::move(result), v);
        if (round < 0) continue;
        spent += taken;
        result.samples_us[v].push_back(std::chrono::duration<double, std::micro>(taken).count());
      }
      const bool enough = round + 1 >= job.min_samples && spent >= job.budget;
      const bool too_long = Clock::now() - begin >= job.patience;
      if (round >= 0 && (enough || (too_long && round + 1 >= TimeJob::k_fewest_samples))) break;
    }
    buffers.return_outputs();
    return result;
  }

  void plant(SanitizerTool) override {
    fail(ExitCode::internal, "compute-sanitizer watches GPUs only");
  }

  double measure_copy(std::int64_t) override {
    fail(ExitCode::internal, "the copy ceiling is only measured on a GPU");
  }

 private:
  const CpuModule& module_of(int number) const {
    const auto found = modules_.find(number);
    if (found == modules_.end()) fail(ExitCode::internal, "module {} is not loaded", number);
    return found->second;
  }

  static TimeResult faulty(TimeResult result, std::size_t variant) {
    result.faulty_variant = static_cast<int>(variant);
    return result;
  }

  std::function<void(const Fault&)> report_;
  std::map<int, CpuModule> modules_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(std::function<void(const Fault&)> report) {
  return std::make_unique<CpuDevice>(std::move(report));
}

}  // namespace kernelloop
