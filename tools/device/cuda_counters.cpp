#include "device/cuda_counters.hpp"

#include "support/error.hpp"

#include "counters/cupti_library.hpp"
#include "counters/metrics.hpp"

#include <cmath>

namespace kernelloop {
namespace {

constexpr std::size_t k_most_passes = 64;

// CUPTI's profiler of the current context. Without a driver some of its calls crash instead of
// failing; here a context exists.
class Session {
 public:
  explicit Session(const CuptiLibrary& cupti) : cupti_(cupti) {
    auto params =
        sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    cupti_.check(cupti_.cuptiProfilerInitialize(&params), "starting CUPTI's profiler");
  }
  ~Session() {
    auto params =
        sized<CUpti_Profiler_DeInitialize_Params>(CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE);
    cupti_.cuptiProfilerDeInitialize(&params);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] std::string chip() const {
    auto params =
        sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    params.deviceIndex = 0;
    cupti_.check(cupti_.cuptiDeviceGetChipName(&params), "asking for the chip");
    return params.pChipName;
  }

  [[nodiscard]] std::vector<std::uint8_t> availability() const {
    auto params = sized<CUpti_Profiler_GetCounterAvailability_Params>(
        CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
    cupti_.check(cupti_.cuptiProfilerGetCounterAvailability(&params),
                 "asking which counters there are");
    std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
    params.pCounterAvailabilityImage = image.data();
    cupti_.check(cupti_.cuptiProfilerGetCounterAvailability(&params),
                 "asking which counters there are");
    return image;
  }

 private:
  const CuptiLibrary& cupti_;
};

class RangeProfiler {
 public:
  RangeProfiler(const CuptiLibrary& cupti, const CounterPlan& plan) : cupti_(cupti) {
    auto enable =
        sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = nullptr;  // the current one
    cupti_.check(cupti_.cuptiRangeProfilerEnable(&enable), "enabling the range profiler");
    profiler_ = enable.pRangeProfilerObject;
    try {
      configure(plan);
    } catch (...) {
      disable();
      throw;
    }
  }
  ~RangeProfiler() { disable(); }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  // Returns the number of passes.
  std::size_t collect(const std::function<void()>& prepare, const std::function<void()>& work) {
    std::size_t passes = 0;
    for (bool all = false; !all;) {
      if (++passes > k_most_passes) {
        fail(ExitCode::environment, "the counters were not complete after {} passes", passes - 1);
      }
      call<CUpti_RangeProfiler_Start_Params>(
          cupti_.cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params_STRUCT_SIZE, "starting");
      prepare();
      auto push = sized<CUpti_RangeProfiler_PushRange_Params>(
          CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
      push.pRangeProfilerObject = profiler_;
      push.pRangeName = "plan";
      cupti_.check(cupti_.cuptiRangeProfilerPushRange(&push), "beginning a counted range");
      work();
      call<CUpti_RangeProfiler_PopRange_Params>(cupti_.cuptiRangeProfilerPopRange,
                                                CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                                "ending a counted range");
      auto stop =
          sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
      stop.pRangeProfilerObject = profiler_;
      cupti_.check(cupti_.cuptiRangeProfilerStop(&stop), "ending a pass");
      all = stop.isAllPassSubmitted != 0;
    }
    call<CUpti_RangeProfiler_DecodeData_Params>(cupti_.cuptiRangeProfilerDecodeData,
                                                CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
                                                "decoding counters");
    return passes;
  }

  [[nodiscard]] const std::vector<std::uint8_t>& data() const noexcept { return data_; }

 private:
  template <typename Params, typename Function>
  void call(Function function, std::size_t size, const char* what) {
    auto params = sized<Params>(size);
    params.pRangeProfilerObject = profiler_;
    cupti_.check(function(&params), what);
  }

  void configure(const CounterPlan& plan) {
    std::vector<const char*> names = pointers(plan.metrics);
    auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    cupti_.check(cupti_.cuptiRangeProfilerGetCounterDataSize(&size), "sizing the counters' data");
    data_.assign(size.counterDataSize, 0);
    auto initialize = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    initialize.pRangeProfilerObject = profiler_;
    initialize.pCounterData = data_.data();
    initialize.counterDataSize = data_.size();
    cupti_.check(cupti_.cuptiRangeProfilerCounterDataImageInitialize(&initialize),
                 "preparing the counters' data");
    configuration_ = plan.configuration;
    auto config = sized<CUpti_RangeProfiler_SetConfig_Params>(
        CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    config.pRangeProfilerObject = profiler_;
    config.pConfig = configuration_.data();
    config.configSize = configuration_.size();
    config.pCounterDataImage = data_.data();
    config.counterDataImageSize = data_.size();
    config.range = CUPTI_UserRange;
    config.replayMode = CUPTI_UserReplay;
    config.maxRangesPerPass = 1;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = 1;
    cupti_.check(cupti_.cuptiRangeProfilerSetConfig(&config), "configuring the range profiler");
  }

  void disable() noexcept {
    auto params =
        sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    params.pRangeProfilerObject = profiler_;
    cupti_.cuptiRangeProfilerDisable(&params);
  }

  const CuptiLibrary& cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::uint8_t> configuration_;
  std::vector<std::uint8_t> data_;
};

}  // namespace

CounterResult count_events(const std::vector<std::string>& metrics,
                           const std::function<void()>& prepare,
                           const std::function<void()>& work) {
  CounterResult result;
  try {
    const std::shared_ptr<const CuptiLibrary> cupti = load_cupti();
    const Session session(*cupti);
    result.chip = session.chip();
    const std::vector<std::uint8_t> availability = session.availability();
    const std::vector<std::string> wanted = metrics_for(result.chip, metrics);
    if (wanted.empty()) {
      result.reason = fmt::format("{} has no counter for what was asked", result.chip);
      return result;
    }
    const CounterPlan plan = plan_counters(*cupti, result.chip, wanted, availability);
    RangeProfiler profiler(*cupti, plan);
    // The first range after fresh allocations counts the driver's clearing too.
    prepare();
    work();
    result.passes = profiler.collect(prepare, work);
    CuptiHost host(*cupti, result.chip, availability);
    cupti->check(host.add(wanted), "evaluating counters");
    const std::vector<double> values = host.evaluate(wanted, profiler.data());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (std::isfinite(values[i])) result.values[wanted[i]] = values[i];
    }
  } catch (const Error& error) {
    result.reason = error.what();
  }
  return result;
}

void load_counters() {
  try {
    known_chips(*load_cupti());
  } catch (const Error&) {
    // Who counts will be told.
  }
}

}  // namespace kernelloop
