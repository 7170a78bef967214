// Where a device puts the tensors of a run, so that accesses out of bounds show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kernelloop {

enum class Placement {
  // Each starts at a 256-byte boundary, a checked pattern on both sides.
  margins,
  // Each in an address range of its own, its last byte where inaccessible memory begins (as near as
  // its alignment allows): an access past the end faults at once.
  fence_end,
  // The same, its first byte where inaccessible memory ends.
  fence_begin,
  // Each starts at a multiple of its declared alignment and of nothing greater, patterns on both
  // sides: a kernel that takes a better alignment for granted faults.
  least_alignment,
  // Each is an allocation of just its size and nothing else is written around it: what a memory
  // checking tool wants to see.
  bare,
};

// "margins", "fence_end", ...
const char* name_of(Placement placement);
// Throws Error(internal) for another text.
Placement placement_named(std::string_view name);

// The byte at which a tensor starts in a block that is mapped in whole granules, and what around it
// is left for the pattern.
struct FencedLayout {
  std::size_t mapped = 0;  // a multiple of the granularity, at least one
  std::size_t offset = 0;  // of the tensor; a multiple of its alignment
  std::size_t behind = 0;  // bytes between the tensor's end and the end of the mapping
};

// For fence_end and fence_begin. `alignment` is a power of two that divides `granularity`.
FencedLayout fenced_layout(std::size_t bytes, std::size_t alignment, std::size_t granularity,
                           Placement placement);

}  // namespace kernelloop
