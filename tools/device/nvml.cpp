#include "device/nvml.hpp"

#include "support/loader_lock.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace kernelloop {

// As nvml.h lays them out.
namespace nvml {

// nvmlFieldValue_t
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency_us = 0;
  int type = 0;  // 0 double, 1 unsigned int, 2 unsigned long, 3 unsigned long long, ...
  int status = 0;
  union {
    double real;
    unsigned int small;
    unsigned long long large;
  } value{.large = 0};
};

// nvmlProcessInfo_v2_t
struct ProcessInfo {
  unsigned pid = 0;
  unsigned long long memory = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

}  // namespace nvml

namespace {

using nvml::FieldValue;
using nvml::ProcessInfo;

// The toolkit need not have nvml.h, and headers disagree about the numbers of the last fields:
// these are the ones that driver 580 answers (269 to 271; older headers say 251 to 253).
constexpr unsigned k_field_power_cap = 74;
constexpr unsigned k_field_sync_boost = 76;
constexpr unsigned k_field_software_thermal = 269;
constexpr unsigned k_field_hardware_thermal = 270;
constexpr unsigned k_field_power_brake = 271;

constexpr int k_success = 0;
constexpr int k_insufficient_size = 7;

std::uint64_t number(const FieldValue& field) {
  if (field.status != k_success) return 0;
  switch (field.type) {
    case 1:
      return field.value.small;
    case 2:
    case 3:
      return field.value.large;
    default:
      return 0;
  }
}

struct Reason {
  std::uint64_t ThrottleCounters::*counter;
  const char* name;
};
constexpr std::array<Reason, 5> k_reasons{{
    {&ThrottleCounters::power_cap, "power cap"},
    {&ThrottleCounters::sync_boost, "sync boost"},
    {&ThrottleCounters::software_thermal, "software thermal"},
    {&ThrottleCounters::hardware_thermal, "hardware thermal"},
    {&ThrottleCounters::power_brake, "power brake"},
}};

}  // namespace

std::vector<std::string> throttling_between(const ThrottleCounters& before,
                                            const ThrottleCounters& after) {
  std::vector<std::string> reasons;
  for (const Reason& reason : k_reasons) {
    if (after.*reason.counter > before.*reason.counter) reasons.emplace_back(reason.name);
  }
  return reasons;
}

struct GpuMonitor::Library {
  void* handle = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_by_uuid)(const char*, void**) = nullptr;
  int (*power_usage)(void*, unsigned*) = nullptr;
  int (*field_values)(void*, int, FieldValue*) = nullptr;
  int (*compute_processes)(void*, unsigned*, ProcessInfo*) = nullptr;
  bool initialised = false;

  ~Library() {
    const std::lock_guard<std::mutex> lock(loader_mutex());
    if (initialised) shutdown();
    if (handle != nullptr) ::dlclose(handle);
  }

  template <typename Function>
  bool find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    return function != nullptr;
  }
};

GpuMonitor::GpuMonitor(const std::string& uuid, const std::string& library)
    : library_(std::make_unique<Library>()) {
  Library& found = *library_;
  const std::lock_guard<std::mutex> lock(loader_mutex());
  found.handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (found.handle == nullptr) {
    why_ = fmt::format("{} cannot be loaded", library);
    return;
  }
  if (!found.find(found.init, "nvmlInit_v2") || !found.find(found.shutdown, "nvmlShutdown") ||
      !found.find(found.device_by_uuid, "nvmlDeviceGetHandleByUUID")) {
    why_ = fmt::format("{} lacks a function", library);
    return;
  }
  // These may be missing: what they tell is then unknown.
  found.find(found.power_usage, "nvmlDeviceGetPowerUsage");
  found.find(found.field_values, "nvmlDeviceGetFieldValues");
  found.find(found.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  int code = found.init();
  found.initialised = code == k_success;
  if (found.initialised) code = found.device_by_uuid(uuid.c_str(), &device_);
  if (code != k_success) {
    device_ = nullptr;
    why_ = fmt::format("{} does not know the GPU (code {})", library, code);
  }
}

GpuMonitor::~GpuMonitor() = default;

ThrottleCounters GpuMonitor::throttling() const {
  ThrottleCounters counters;
  if (!works() || library_->field_values == nullptr) return counters;
  std::array<FieldValue, 5> fields{};
  fields[0].field = k_field_power_cap;
  fields[1].field = k_field_sync_boost;
  fields[2].field = k_field_software_thermal;
  fields[3].field = k_field_hardware_thermal;
  fields[4].field = k_field_power_brake;
  if (library_->field_values(device_, static_cast<int>(fields.size()), fields.data()) !=
      k_success) {
    return counters;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    counters.*k_reasons[i].counter = number(fields[i]);
  }
  return counters;
}

double GpuMonitor::power_watts() const {
  unsigned milliwatts = 0;
  const bool known = works() && library_->power_usage != nullptr &&
                     library_->power_usage(device_, &milliwatts) == k_success;
  return known ? milliwatts / 1000.0 : 0.0;
}

std::vector<unsigned> GpuMonitor::foreign_processes(const std::vector<unsigned>& own) const {
  if (!works() || library_->compute_processes == nullptr) return {};
  std::vector<ProcessInfo> processes(16);
  for (;;) {
    auto count = static_cast<unsigned>(processes.size());
    const int code = library_->compute_processes(device_, &count, processes.data());
    if (code == k_insufficient_size && processes.size() < 4096) {
      processes.resize(2 * processes.size());
      continue;
    }
    if (code != k_success) return {};
    processes.resize(std::min<std::size_t>(count, processes.size()));
    break;
  }
  std::vector<unsigned> foreign;
  for (const ProcessInfo& process : processes) {
    if (std::find(own.begin(), own.end(), process.pid) == own.end()) {
      foreign.push_back(process.pid);
    }
  }
  if (!foreign.empty() && foreign.size() == processes.size()) foreign.pop_back();
  return foreign;
}

}  // namespace kernelloop
