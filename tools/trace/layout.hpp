// Where the traced build of a version records what: the arrays of kernelloop/trace_records.cuh for
// each launch, launch after launch in one buffer.
#pragma once

#include "kernelloop/trace_records.cuh"
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
  std::int64_t warps = 0;     // of a block
  bool every_life = true;     // begin and end are recorded of every block; else of the marked ones
  std::int64_t first = 0;     // marks are recorded of so many blocks at the front
  std::int64_t shift = 0;     // and of one in 2^shift of the others
  std::int64_t capacity = 0;  // marks of a warp; what comes later is counted and dropped
  std::size_t offset = 0;     // of the launch's first array in the buffer

  // How many blocks have room for marks, and for begin and end. At the edges of the grid a slot may
  // be of no block.
  [[nodiscard]] std::int64_t mark_slots() const;
  [[nodiscard]] std::int64_t life_slots() const;
  // Offsets in the buffer of what one warp or block records.
  [[nodiscard]] std::size_t life(std::int64_t slot, std::int64_t warp) const;
  [[nodiscard]] std::size_t anchors(std::int64_t slot) const;
  [[nodiscard]] std::size_t marks(std::int64_t slot, std::int64_t warp) const;
  [[nodiscard]] std::size_t bytes() const;

  // What the kernel is told, with the buffer at that address.
  [[nodiscard]] trace::Target target(std::uint64_t buffer) const;
};

struct TraceLayout {
  std::vector<TracedLaunch> launches;
  std::size_t bytes = 0;  // of the buffer
};

// Fits into `budget` bytes. Marks are recorded of some 500 blocks at most, so that recording stays
// cheap beside the kernel's own work; begin and end of every block, unless they fill half of the
// room. Throws Error(bad_input) when not even one block of each launch fits.
TraceLayout lay_out_trace(const ResolvedPlan& plan, std::size_t budget);

Json to_json(const TraceLayout& layout);
TraceLayout trace_layout_from_json(const Json& json);

}  // namespace kernelloop
