#include "device/cuda_trace.hpp"

#include <cstdint>

namespace kernelloop {
namespace {

constexpr const char* k_target = "kernelloop_trace_target";
constexpr int k_warm_ups = 2;
constexpr int k_samples = 15;

}  // namespace

CudaTracer::CudaTracer(const CudaDriver& driver, CudaHarness& harness, const CudaModule& module,
                       const TraceBuffer& trace, const CudaAddresses& addresses)
    : driver_(driver),
      harness_(harness),
      module_(module),
      layout_(trace.layout),
      buffer_(addresses.tensors.at(trace.tensor)),
      target_(module.variable(k_target, sizeof(trace::Target))) {}

void CudaTracer::aim(std::size_t index) {
  const trace::Target target = layout_.launches.at(index).target(buffer_);
  driver_.check(driver_.cuMemcpyHtoDAsync(target_, &target, sizeof target, harness_.stream()),
                "telling the kernels where to record");
  // The copy reads `target`, which ends here.
  driver_.check(harness_.synchronize(), "telling the kernels where to record");
}

// What an earlier trace told the module points at memory that is gone.
void CudaTracer::aim_nowhere() {
  driver_.check(driver_.cuMemsetD8Async(target_, 0, sizeof(trace::Target), harness_.stream()),
                "telling the kernels to record nothing");
}

Fault CudaTracer::run(const std::vector<CudaCall>& calls, std::vector<double>& traced_us) {
  if (target_ == 0) {
    return {FaultKind::load_failed,
            "the traced build has no marks: no kernel is left in it that "
            "the build could put one into"};
  }
  harness_.prepare_timing();
  aim_nowhere();
  for (int i = 0; i < k_warm_ups; ++i) {
    if (Fault refused = module_.launch(calls, harness_.stream())) return refused;
    driver_.check(harness_.synchronize(), "warming up");
  }
  for (int i = 0; calls.size() == 1 && i < k_samples; ++i) {
    Fault refused;
    harness_.flush_l2();
    aim(0);
    const auto sample = harness_.time(1, [&] {
      refused = module_.launch(calls, harness_.stream());
      return !refused;
    });
    if (refused) return refused;
    if (sample) traced_us.push_back(sample->microseconds);
  }
  driver_.check(driver_.cuMemsetD8Async(buffer_, 0, layout_.bytes, harness_.stream()),
                "clearing the trace");
  harness_.flush_l2();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    aim(i);
    if (Fault refused = module_.launch(calls[i], harness_.stream())) return refused;
    driver_.check(harness_.synchronize(), "recording a trace");
  }
  aim_nowhere();
  return {};
}

}  // namespace kernelloop
