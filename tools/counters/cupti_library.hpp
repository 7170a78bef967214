// CUPTI's functions and the objects they make. Include only where its headers are to be had.
#pragma once

#include <cuda.h>

#include "counters/cupti.hpp"
#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <string>
#include <vector>

#define KERNELLOOP_CUPTI_FUNCTIONS(X)             \
  X(cuptiGetResultString)                         \
  X(cuptiProfilerInitialize)                      \
  X(cuptiProfilerDeInitialize)                    \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiProfilerGetCounterAvailability)          \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostGetSupportedChips)           \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiActivityRegisterCallbacks)               \
  X(cuptiActivityEnable)                          \
  X(cuptiActivityDisable)                         \
  X(cuptiActivityFlushAll)                        \
  X(cuptiActivityGetNextRecord)                   \
  X(cuptiActivityGetNumDroppedRecords)            \
  X(cuptiActivityPushExternalCorrelationId)       \
  X(cuptiActivityPopExternalCorrelationId)

namespace kernelloop {

class CuptiLibrary {
 public:
#define KERNELLOOP_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
  KERNELLOOP_CUPTI_FUNCTIONS(KERNELLOOP_CUPTI_MEMBER)
#undef KERNELLOOP_CUPTI_MEMBER

  // "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)".
  [[nodiscard]] std::string name_of(CUptiResult code) const;
  // Throws Error(environment) "<what>: <code>", with what to do about missing privileges.
  void check(CUptiResult code, const char* what) const;
};

// A planner or evaluator for one chip.
class CuptiHost {
 public:
  // `availability` may be empty; it must outlive this. Throws Error(bad_input) for a chip that
  // CUPTI does not know.
  CuptiHost(const CuptiLibrary& cupti, const std::string& chip,
            const std::vector<std::uint8_t>& availability);
  ~CuptiHost();
  CuptiHost(const CuptiHost&) = delete;
  CuptiHost& operator=(const CuptiHost&) = delete;

  // Whether it takes all of these together.
  CUptiResult add(const std::vector<std::string>& metrics);
  [[nodiscard]] std::vector<std::uint8_t> configuration() const;
  [[nodiscard]] std::size_t passes(const std::vector<std::uint8_t>& configuration) const;
  // Of the first range.
  [[nodiscard]] std::vector<double> evaluate(const std::vector<std::string>& metrics,
                                             const std::vector<std::uint8_t>& counter_data) const;

 private:
  const CuptiLibrary& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

// A parameter block of CUPTI, which has to know its size.
template <typename Params>
Params sized(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

// Pointers to the texts, as CUPTI takes them. They point into `names`.
std::vector<const char*> pointers(const std::vector<std::string>& names);

}  // namespace kernelloop
