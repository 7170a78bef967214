// Times the variants of a job on a GPU.
#pragma once

#include "device/cuda_buffers.hpp"
#include "device/cuda_harness.hpp"
#include "device/cuda_launches.hpp"
#include "device/device.hpp"
#include "device/nvml.hpp"
#include "device/sampling.hpp"

#include <functional>
#include <vector>

namespace kernelloop {

// The GPU and what was set up on it; all of it outlives a timing.
struct CudaSetting {
  const CudaDriver& driver;
  CUdevice device;
  CudaHarness& harness;  // prepared for timing
  const GpuMonitor& monitor;
  std::int64_t l2_bytes = 0;
};

class CudaTiming {
 public:
  // Makes the launches of a variant on these buffers ready.
  using Bind = std::function<Fault(std::size_t variant, const CudaBuffers&, CudaLaunches&)>;
  CudaTiming(CudaSetting setting, const TimeJob& job, Bind bind);

  // Throws CudaFailure when the device fails for a reason that is not the candidate's.
  TimeResult run();

 private:
  // The tensors of a set at an address of its own, and the launches there.
  struct Slot {
    int set = 0;
    CudaBuffers buffers;
    std::vector<CudaLaunches> launches;  // per variant
  };
  Fault fill_slots();
  Fault prepare(std::size_t variant);
  void choose_launches();
  [[nodiscard]] Fault launch_many(std::size_t variant, std::size_t slot) const;
  Fault record(std::size_t variant, std::size_t slot, CudaGraph& graph);
  Fault take(const SampleOrder& order, TimeSample& sample);
  Fault take_one(const SampleOrder& order, CudaSample& sample);
  Fault take_many(const SampleOrder& order, CudaSample& sample);
  [[nodiscard]] Fault launch(std::size_t variant, std::size_t slot) const;
  [[nodiscard]] std::size_t addresses() const;
  bool throttled();  // since the last call
  Fault check_slots(std::size_t variant);

  CudaSetting setting_;
  const TimeJob& job_;
  Bind bind_;
  bool recordable_ = true;
  std::uint64_t hash_seed_;
  std::size_t addresses_ = 1;
  std::vector<Slot> slots_;
  int launches_ = 1;  // per sample
  // Hot: per variant and slot; rotating: one per variant.
  std::vector<std::vector<CudaGraph>> graphs_;
  ThrottleCounters throttling_;
  std::vector<double> watts_;
  std::vector<std::string> reasons_;
};

}  // namespace kernelloop
