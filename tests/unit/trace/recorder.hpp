// Plays the kernels: writes regions as trace.cuh does, on multiprocessors with clocks of their own.
#pragma once

#include "trace/decode.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace kernelloop {

class Recorder {
 public:
  Recorder(std::int64_t blocks, std::int64_t warps, std::int64_t capacity = 64,
           std::int64_t stride = 1) {
    TracedLaunch launch;
    launch.kernel = "k";
    launch.blocks = blocks;
    launch.warps = warps;
    launch.stride = stride;
    launch.traced_blocks = (blocks + stride - 1) / stride;
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

  // All that one warp recorded; `whole`: it reached the end of the kernel's scope.
  void warp(std::int64_t block, std::int64_t warp, std::int64_t sm,
            const std::vector<Event>& events, bool whole = true) {
    const TracedLaunch& launch = layout.launches.front();
    const std::size_t at = static_cast<std::size_t>(block / launch.stride * launch.warps + warp) *
                           launch.region_bytes();
    put<std::uint32_t>(at, static_cast<std::uint32_t>(sm));
    put<std::uint32_t>(at + 4, static_cast<std::uint32_t>(events.size()));
    put<std::uint64_t>(at + 8, epoch + static_cast<std::uint64_t>(events.front().ns));
    put<std::uint64_t>(at + 16, cycles(sm, events.front().ns));
    if (whole) {
      put<std::uint64_t>(at + 24, epoch + static_cast<std::uint64_t>(events.back().ns));
      put<std::uint64_t>(at + 32, cycles(sm, events.back().ns));
    }
    put<std::uint32_t>(at + 40, static_cast<std::uint32_t>(block));
    put<std::uint32_t>(at + 44, static_cast<std::uint32_t>(warp));
    for (std::size_t i = 0; i < events.size() && i < static_cast<std::size_t>(launch.capacity);
         ++i) {
      put<std::uint32_t>(at + 64 + 8 * i, trace_id(events[i].name) << 2 | events[i].kind);
      put<std::uint32_t>(at + 68 + 8 * i, static_cast<std::uint32_t>(cycles(sm, events[i].ns)));
      names[trace_id(events[i].name)] = events[i].name;
    }
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

inline constexpr unsigned int k_begin = 0;
inline constexpr unsigned int k_end = 1;
inline constexpr unsigned int k_instant = 2;

}  // namespace kernelloop
