#include "trace/layout.hpp"

#include "support/error.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

constexpr std::int64_t k_most_marks = 512;  // of a warp
constexpr std::int64_t k_fewest_marks = 32;
constexpr std::int64_t k_most_marked = 512;  // blocks: about four on each multiprocessor
// At least one block on every multiprocessor of today's GPUs: there its clock is tied to the
// others'.
constexpr std::int64_t k_leading = 192;
constexpr std::size_t k_alignment = 256;

std::int64_t groups(std::int64_t blocks, std::int64_t shift) {
  return (blocks + (std::int64_t{1} << shift) - 1) >> shift;
}

std::size_t size(std::int64_t count, std::size_t bytes) {
  return static_cast<std::size_t>(count) * bytes;
}

// Bytes of a block with marks.
std::int64_t marked_bytes(const TracedLaunch& launch, std::int64_t capacity) {
  const std::size_t life = launch.every_life ? 0 : sizeof(trace::Life);
  return static_cast<std::int64_t>(
      sizeof(trace::Anchors) +
      size(launch.warps, life + size(capacity + 1, sizeof(trace::Record))));
}

void choose_blocks(TracedLaunch& launch, std::int64_t fitting) {
  if (launch.blocks <= fitting) {
    launch.first = launch.blocks;
    return;
  }
  launch.first = std::min(k_leading, fitting / 2);
  while (groups(launch.blocks, launch.shift) > fitting - launch.first) ++launch.shift;
}

TracedLaunch fit(const ResolvedLaunch& launch, std::int64_t room) {
  TracedLaunch traced;
  traced.kernel = launch.kernel;
  traced.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  traced.warps = (launch.block[0] * launch.block[1] * launch.block[2] + 31) / 32;
  const auto life = static_cast<std::int64_t>(sizeof(trace::Life)) * traced.warps;
  traced.every_life = traced.blocks <= room / 2 / life;
  if (traced.every_life) room -= traced.blocks * life;
  const std::int64_t fitting = std::min(k_most_marked, room / marked_bytes(traced, k_fewest_marks));
  if (fitting < 1) return traced;
  choose_blocks(traced, fitting);
  traced.capacity = k_most_marks;
  while (traced.capacity > k_fewest_marks &&
         traced.mark_slots() * marked_bytes(traced, traced.capacity) > room) {
    traced.capacity /= 2;
  }
  return traced;
}

}  // namespace

std::int64_t TracedLaunch::mark_slots() const {
  return first + (first < blocks ? groups(blocks, shift) : 0);
}

std::int64_t TracedLaunch::life_slots() const { return every_life ? blocks : mark_slots(); }

std::size_t TracedLaunch::life(std::int64_t slot, std::int64_t warp) const {
  return offset + size(slot * warps + warp, sizeof(trace::Life));
}

std::size_t TracedLaunch::anchors(std::int64_t slot) const {
  return life(life_slots(), 0) + size(slot, sizeof(trace::Anchors));
}

std::size_t TracedLaunch::marks(std::int64_t slot, std::int64_t warp) const {
  return anchors(mark_slots()) +
         size((slot * warps + warp) * (capacity + 1), sizeof(trace::Record));
}

std::size_t TracedLaunch::bytes() const { return marks(mark_slots(), 0) - offset; }

trace::Target TracedLaunch::target(std::uint64_t buffer) const {
  trace::Target target{};
  target.lives = buffer + life(0, 0);
  target.anchors = buffer + anchors(0);
  target.marks = buffer + marks(0, 0);
  target.on = 1;
  target.every_life = every_life ? 1 : 0;
  target.first = static_cast<std::uint32_t>(first);
  target.shift = static_cast<std::uint32_t>(shift);
  target.warps = static_cast<std::uint32_t>(warps);
  target.capacity = static_cast<std::uint32_t>(capacity);
  return target;
}

TraceLayout lay_out_trace(const ResolvedPlan& plan, std::size_t budget) {
  TraceLayout layout;
  if (plan.launches.empty()) return layout;
  const std::size_t share = budget / plan.launches.size() / k_alignment * k_alignment;
  for (const ResolvedLaunch& launch : plan.launches) {
    TracedLaunch traced = fit(launch, static_cast<std::int64_t>(share));
    if (traced.capacity == 0) {
      fail(ExitCode::bad_input,
           "{} bytes are too few to trace one block of `{}` with {} warps; give the trace more",
           budget, launch.kernel, traced.warps);
    }
    traced.offset = layout.bytes;
    layout.bytes += (traced.bytes() + k_alignment - 1) / k_alignment * k_alignment;
    layout.launches.push_back(std::move(traced));
  }
  return layout;
}

Json to_json(const TraceLayout& layout) {
  Json launches = Json::array();
  for (const TracedLaunch& one : layout.launches) {
    launches.push_back({{"kernel", one.kernel},
                        {"blocks", one.blocks},
                        {"warps", one.warps},
                        {"every_life", one.every_life},
                        {"first", one.first},
                        {"shift", one.shift},
                        {"capacity", one.capacity},
                        {"offset", one.offset}});
  }
  return {{"bytes", layout.bytes}, {"launches", launches}};
}

TraceLayout trace_layout_from_json(const Json& json) {
  TraceLayout layout;
  json.at("bytes").get_to(layout.bytes);
  for (const Json& entry : json.at("launches")) {
    TracedLaunch one;
    entry.at("kernel").get_to(one.kernel);
    entry.at("blocks").get_to(one.blocks);
    entry.at("warps").get_to(one.warps);
    entry.at("every_life").get_to(one.every_life);
    entry.at("first").get_to(one.first);
    entry.at("shift").get_to(one.shift);
    entry.at("capacity").get_to(one.capacity);
    entry.at("offset").get_to(one.offset);
    layout.launches.push_back(std::move(one));
  }
  return layout;
}

}  // namespace kernelloop
