// Where the traced build of a version records what: regions of include/kernelloop/trace.cuh, one
// for each warp of each traced block, launch after launch in one buffer.
#pragma once

#include "plan/launch_plan.hpp"
#include "support/json.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelloop {

struct TracedLaunch {
  std::string kernel;
  std::int64_t blocks = 0;
  std::int64_t warps = 0;          // of a block
  std::int64_t traced_blocks = 0;  // blocks 0, stride, 2 stride, ...
  std::int64_t stride = 1;
  std::int64_t capacity = 0;  // records of a region; what comes later is counted and dropped
  std::size_t offset = 0;     // of the first region in the buffer

  [[nodiscard]] std::size_t region_bytes() const;
  [[nodiscard]] std::size_t bytes() const;
};

struct TraceLayout {
  std::vector<TracedLaunch> launches;
  std::size_t bytes = 0;  // of the buffer
};

// Fits into `budget` bytes: first by fewer records per warp, then by tracing every n-th block only.
// Throws Error(bad_input) when not even one block of each launch fits.
TraceLayout lay_out_trace(const ResolvedPlan& plan, std::size_t budget);

Json to_json(const TraceLayout& layout);
TraceLayout trace_layout_from_json(const Json& json);

}  // namespace kernelloop
