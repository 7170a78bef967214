// Plays the kernels: writes what trace.cuh does, on multiprocessors with clocks of their own.
#pragma once

#include "trace/decode.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace kernelloop {

class Recorder {
 public:
  // All blocks carry marks unless `first` blocks and one in 2^shift of the others do.
  Recorder(std::int64_t blocks, std::int64_t warps, std::int64_t capacity = 64,
           std::int64_t first = -1, std::int64_t shift = 0, bool every_life = true) {
    TracedLaunch launch;
    launch.kernel = "k";
    launch.blocks = blocks;
    launch.warps = warps;
    launch.every_life = every_life;
    launch.first = first < 0 ? blocks : first;
    launch.shift = shift;
    launch.capacity = capacity;
    layout.launches = {launch};
    layout.bytes = launch.bytes();
    buffer.resize(layout.bytes);
  }

  // The clock of multiprocessor `sm` at a common time: each has another offset.
  [[nodiscard]] std::uint64_t cycles(std::int64_t sm, double ns) const {
    return 0xFFFF0000ull + 1'000'000'007ull * static_cast<std::uint64_t>(sm) +
           static_cast<std::uint64_t>(ns * cycles_per_ns);
  }

  struct Event {
    std::string name;
    unsigned int kind = 0;
    double ns = 0;
  };

  // All that one warp recorded: the first event begins its kernel, the last one ends it when it is
  // `whole`, those between are marks. What its block does not record is left out.
  void warp(std::int64_t block, std::int64_t warp, std::int64_t sm,
            const std::vector<Event>& events, bool whole = true) {
    const TracedLaunch& launch = layout.launches.front();
    const trace::MarkSlot slot =
        trace::mark_slot(launch.target(0), static_cast<std::uint32_t>(block));
    for (const Event& event : events) names[trace_id(event.name)] = event.name;
    if (!launch.every_life && !slot.there) return;
    const trace::Life life{whole ? cycles(sm, events.back().ns) : 0,
                           static_cast<std::uint32_t>(cycles(sm, events.front().ns)),
                           static_cast<std::uint32_t>(sm + 1)};
    if (whole || slot.there) put(launch.life(launch.every_life ? block : slot.index, warp), life);
    if (!slot.there) return;
    if (warp == 0) {
      trace::Anchors anchors{anchor(sm, events.front().ns), {}};
      if (whole) anchors.end = anchor(sm, events.back().ns);
      put(launch.anchors(slot.index), anchors);
    }
    std::uint32_t count = 0;
    const auto capacity = static_cast<std::uint32_t>(launch.capacity);
    for (std::size_t i = 1; i + (whole ? 1 : 0) < events.size(); ++i, ++count) {
      const bool room = count < capacity;
      put(launch.marks(slot.index, warp) + std::min(count, capacity) * sizeof(trace::Record),
          trace::Record{room ? trace_id(events[i].name) << 2 | events[i].kind : count + 1,
                        static_cast<std::uint32_t>(cycles(sm, events[i].ns))});
    }
  }

  [[nodiscard]] trace::Anchor anchor(std::int64_t sm, double ns) const {
    return {epoch + static_cast<std::uint64_t>(ns), cycles(sm, ns)};
  }

  template <typename T>
  void put(std::size_t at, T value) {
    std::memcpy(buffer.data() + at, &value, sizeof value);
  }

  [[nodiscard]] LaunchTrace decode() const {
    return decode_trace(layout, buffer, names, 1.0).front();
  }

  double cycles_per_ns = 1.75;
  std::uint64_t epoch = 1'700'000'000'000'000'000ull;
  TraceLayout layout;
  std::vector<std::byte> buffer;
  std::map<std::uint32_t, std::string> names;
};

using trace::k_begin;
using trace::k_end;
using trace::k_instant;

}  // namespace kernelloop
