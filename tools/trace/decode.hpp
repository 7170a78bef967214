// From what the kernels recorded to what happened when.
#pragma once

#include "trace/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// Names of marks by the numbers that stand for them, from the comments in the traced build's PTX.
// Throws Error(bad_input) when two names share a number.
std::map<std::uint32_t, std::string> trace_names(std::string_view ptx);

// The number that stands for a name in a record.
std::uint32_t trace_id(const std::string& name);

// The scope that the traced build puts around each kernel.
inline constexpr std::string_view k_kernel_scope = "kernel";

// Times are nanoseconds on the device's common clock, from the launch's first event.
struct TraceSpan {
  std::string name;
  double begin_ns = 0;
  double end_ns = 0;
  double self_ns = 0;     // without the spans inside
  std::size_t depth = 0;  // 0: the outermost
  bool cut = false;       // no end was recorded: it is the time of the last thing known
};

struct TraceInstant {
  std::string name;
  double ns = 0;
};

struct WarpTrace {
  std::int64_t block = 0;
  std::int64_t warp = 0;
  std::int64_t multiprocessor = 0;
  double begin_ns = 0;  // of the kernel
  double end_ns = 0;    // of the last known
  bool whole = false;   // the end of the kernel was recorded
  bool marked = false;  // marks were recorded; else its life is its only span
  std::size_t dropped = 0;
  std::vector<TraceSpan> spans;  // by begin; the first is the kernel's
  std::vector<TraceInstant> instants;
};

struct LaunchTrace {
  TracedLaunch launch;
  std::vector<WarpTrace> warps;  // those that recorded anything, by block and warp
  std::size_t dropped = 0;       // records that found no room
  std::size_t malformed = 0;     // warps or records that cannot be right
  std::size_t unplaced = 0;      // warps on multiprocessors whose clock nothing ties to the others
  std::size_t unmatched = 0;     // ends without a begin
  double cycles_per_ns = 0;      // median over multiprocessors; 0 when nothing told it
};

// Each multiprocessor counts its own cycles; the anchors of marked blocks tie them to the common
// clock. `cycles_per_ns` is used where no anchors lie far enough apart. The buffer was written by a
// candidate: whatever does not make sense is counted, never trusted.
std::vector<LaunchTrace> decode_trace(const TraceLayout& layout, std::span<const std::byte> buffer,
                                      const std::map<std::uint32_t, std::string>& names,
                                      double cycles_per_ns);

}  // namespace kernelloop
