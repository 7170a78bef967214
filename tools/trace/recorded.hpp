// What the kernels of one launch wrote, as it stands in the buffer.
#pragma once

#include "trace/layout.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernelloop {

struct RecordedWarp {
  std::int64_t block = 0;
  std::int64_t warp = 0;
  std::uint32_t multiprocessor = 0;
  trace::Life life{};
  bool marked = false;  // marks of its block were recorded
  std::vector<trace::Record> marks;
  std::size_t dropped = 0;  // marks that found no room
};

struct RecordedBlock {
  std::uint32_t multiprocessor = 0;
  trace::Anchors anchors{};  // ns 0: none
};

struct Recorded {
  std::vector<RecordedWarp> warps;    // those whose begin is known, by block and warp
  std::vector<RecordedBlock> blocks;  // with anchors
  std::size_t malformed = 0;          // warps whose words cannot be right
};

// The buffer was written by a candidate: whatever cannot be right is counted and left out.
Recorded read_recorded(const TracedLaunch& launch, std::span<const std::byte> buffer);

}  // namespace kernelloop
