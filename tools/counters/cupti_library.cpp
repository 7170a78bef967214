#include "counters/cupti_library.hpp"

#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/toolkit.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace kernelloop {
namespace {

std::vector<std::string> candidates() {
  if (const char* path = std::getenv("KERNELLOOP_CUPTI"); path != nullptr && *path != '\0') {
    return {path};
  }
  const std::string name = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);
  std::vector<std::string> paths{name};
  for (const std::filesystem::path& root : toolkit_roots()) {
    for (const char* directory : {"lib64", "lib", "extras/CUPTI/lib64"}) {
      paths.push_back((root / directory / name).string());
    }
  }
  paths.emplace_back("libcupti.so");
  return paths;
}

void* open_library() {
  std::string first_error;
  for (const std::string& path : candidates()) {
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (first_error.empty()) first_error = ::dlerror();
  }
  fail(ExitCode::environment,
       "CUPTI is not on this machine ({}), so no counters can be read; install it with the CUDA "
       "toolkit (package cuda-cupti, or nvidia-cuda-cupti from PyPI), or name the library in "
       "KERNELLOOP_CUPTI",
       first_error);
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) {
    fail(ExitCode::environment,
         "the CUPTI on this machine is too old: it lacks {}; install one of CUDA 12.6 or newer",
         name);
  }
}

}  // namespace

std::shared_ptr<const CuptiLibrary> load_cupti() {
  static const std::shared_ptr<const CuptiLibrary> k_library = [] {
    void* library = open_library();
    auto cupti = std::make_shared<CuptiLibrary>();
#define KERNELLOOP_CUPTI_FIND(name) find(library, #name, cupti->name);
    KERNELLOOP_CUPTI_FUNCTIONS(KERNELLOOP_CUPTI_FIND)
#undef KERNELLOOP_CUPTI_FIND
    return cupti;
  }();
  return k_library;
}

std::string CuptiLibrary::name_of(CUptiResult code) const {
  const char* text = nullptr;
  if (cuptiGetResultString(code, &text) != CUPTI_SUCCESS || text == nullptr) text = "unknown error";
  return fmt::format("{} ({})", text, static_cast<int>(code));
}

void CuptiLibrary::check(CUptiResult code, const char* what) const {
  if (code == CUPTI_SUCCESS) return;
  const bool forbidden = code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
                         code == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES;
  fail(ExitCode::environment, "{}: {}{}", what, name_of(code),
       forbidden ? "; counters are for administrators here: load the driver with "
                   "NVreg_RestrictProfilingToAdminUsers=0, or run as root"
                 : "");
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> result;
  for (const std::string& name : names) result.push_back(name.c_str());
  return result;
}

CuptiHost::CuptiHost(const CuptiLibrary& cupti, const std::string& chip,
                     const std::vector<std::uint8_t>& availability)
    : cupti_(cupti) {
  auto params = sized<CUpti_Profiler_Host_Initialize_Params>(
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  if (const CUptiResult code = cupti.cuptiProfilerHostInitialize(&params); code != CUPTI_SUCCESS) {
    fail(ExitCode::bad_input, "CUPTI cannot plan for the chip '{}' ({}); {}", chip,
         cupti.name_of(code), name_hint(chip, known_chips(cupti)));
  }
  host_ = params.pHostObject;
}

CuptiHost::~CuptiHost() {
  auto params = sized<CUpti_Profiler_Host_Deinitialize_Params>(
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  params.pHostObject = host_;
  cupti_.cuptiProfilerHostDeinitialize(&params);
}

CUptiResult CuptiHost::add(const std::vector<std::string>& metrics) {
  std::vector<const char*> names = pointers(metrics);
  auto params = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  params.pHostObject = host_;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return cupti_.cuptiProfilerHostConfigAddMetrics(&params);
}

std::vector<std::uint8_t> CuptiHost::configuration() const {
  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = host_;
  cupti_.check(cupti_.cuptiProfilerHostGetConfigImageSize(&size), "planning counters");
  std::vector<std::uint8_t> image(size.configImageSize);
  auto params = sized<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  params.pHostObject = host_;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  cupti_.check(cupti_.cuptiProfilerHostGetConfigImage(&params), "planning counters");
  return image;
}

std::size_t CuptiHost::passes(const std::vector<std::uint8_t>& configuration) const {
  std::vector<std::uint8_t> image = configuration;
  auto params = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  cupti_.check(cupti_.cuptiProfilerHostGetNumOfPasses(&params), "counting the passes");
  return params.numOfPasses;
}

std::vector<double> CuptiHost::evaluate(const std::vector<std::string>& metrics,
                                        const std::vector<std::uint8_t>& counter_data) const {
  std::vector<const char*> names = pointers(metrics);
  std::vector<double> values(metrics.size(), NAN);
  auto params = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  params.pHostObject = host_;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = 0;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  cupti_.check(cupti_.cuptiProfilerHostEvaluateToGpuValues(&params), "evaluating counters");
  return values;
}

std::vector<std::string> known_chips(const CuptiLibrary& cupti) {
  auto params = sized<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  cupti.check(cupti.cuptiProfilerHostGetSupportedChips(&params), "asking for the known chips");
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

CounterPlan plan_counters(const CuptiLibrary& cupti, const std::string& chip,
                          const std::vector<std::string>& metrics,
                          const std::vector<std::uint8_t>& availability) {
  CounterPlan plan;
  plan.chip = chip;
  plan.metrics = metrics;
  CuptiHost host(cupti, chip, availability);
  if (host.add(metrics) != CUPTI_SUCCESS) {
    std::string missing;
    for (const std::string& name : metrics) {
      CuptiHost alone(cupti, chip, availability);
      if (alone.add({name}) != CUPTI_SUCCESS) missing += (missing.empty() ? "" : ", ") + name;
    }
    fail(ExitCode::bad_input, "{} has no such counters: {}", chip,
         missing.empty() ? "all of them together do not fit" : missing);
  }
  plan.configuration = host.configuration();
  plan.passes = host.passes(plan.configuration);
  return plan;
}

}  // namespace kernelloop
