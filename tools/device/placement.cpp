#include "device/placement.hpp"

#include "support/error.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

const char* name_of(Placement placement) {
  switch (placement) {
    case Placement::margins:
      return "margins";
    case Placement::fence_end:
      return "fence_end";
    case Placement::fence_begin:
      return "fence_begin";
    case Placement::least_alignment:
      return "least_alignment";
    case Placement::bare:
      return "bare";
  }
  return "margins";
}

Placement placement_named(std::string_view name) {
  for (const Placement placement :
       {Placement::margins, Placement::fence_end, Placement::fence_begin,
        Placement::least_alignment, Placement::bare}) {
    if (name == name_of(placement)) return placement;
  }
  fail(ExitCode::internal, "there is no placement '{}'", name);
}

FencedLayout fenced_layout(std::size_t bytes, std::size_t alignment, std::size_t granularity,
                           Placement placement) {
  FencedLayout layout;
  layout.mapped = rounded_up(std::max<std::size_t>(bytes, 1), granularity);
  if (placement != Placement::fence_begin) {
    layout.offset = (layout.mapped - bytes) / alignment * alignment;
  }
  layout.behind = layout.mapped - layout.offset - bytes;
  return layout;
}

}  // namespace kernelloop
