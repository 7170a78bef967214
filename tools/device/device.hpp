// The worker's side: a device as the worker drives it. It sees mapped tensors and resolved plans.
#pragma once

#include "device/worker_client.hpp"

#include <algorithm>
#include <cstdint>

namespace kernelloop {

// Of a workspace's first byte, as docs/launch-plan.md promises.
inline constexpr std::size_t k_workspace_alignment = 256;

// One tensor in the memory shared with the parent.
struct SharedTensor {
  std::string name;
  std::byte* data = nullptr;  // an input's is mapped for reading only
  std::size_t bytes = 0;
  bool output = false;
  std::size_t alignment = 16;  // a power of two
};

// What every variant can work with.
inline std::int64_t largest_workspace(const std::vector<TimeRequest::Variant>& variants) {
  std::int64_t bytes = 0;
  for (const auto& variant : variants) bytes = std::max(bytes, variant.plan.workspace_bytes);
  return bytes;
}

struct RunJob {
  std::vector<SharedTensor> tensors;
  ResolvedPlan plan;
  int module = 0;
  Poison poison;
  bool uninitialised = false;
  Placement placement = Placement::margins;
  std::uint64_t schedule_seed = 0;
  std::optional<TraceBuffer> trace;
  std::vector<std::string> count;
  bool watch = false;
  bool outputs = true;
  std::optional<std::uint64_t> digest_seed;
  std::optional<std::uint64_t> known_digest;
};

// A TimeRequest with its sets mapped.
struct TimeJob {
  std::vector<std::vector<SharedTensor>> sets;  // at least one
  std::vector<TimeRequest::Variant> variants;
  CacheState cache = CacheState::cold;
  int warmup = 3;
  StoppingRule stop;
  std::uint64_t seed = 0;
  std::uint64_t digest_seed = 0;
  std::vector<std::uint64_t> digests;         // of each set, or none
  std::chrono::milliseconds patience{60000};  // of wall time; after that a few samples are enough
};

// Faults of a candidate are values. Error is thrown for what is not the candidate's doing: no
// memory, no driver, a request that names no loaded module (internal).
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceDescription describe() = 0;
  // Called once per module number.
  virtual Fault load(int module, const Artifact& artifact) = 0;
  virtual RunResult run(const RunJob& job) = 0;
  virtual TimeResult time(const TimeJob& job) = 0;
  // Loads on the side what watching and counting take, so that the first who asks need not wait.
  virtual void expect_times() {}
  // Launches the harness's kernel with the fault for a tool that watches this process; what comes
  // of it is for the tool to say. Only after everything else.
  virtual void plant(SanitizerTool tool) = 0;
  virtual RoofValue measure_roof(const Roof& roof, std::int64_t bytes) = 0;
};

}  // namespace kernelloop
