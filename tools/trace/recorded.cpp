#include "trace/recorded.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace kernelloop {
namespace {

constexpr std::uint32_t k_most_multiprocessors = 1024;

template <typename T>
T read(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

class Reader {
 public:
  Reader(const TracedLaunch& launch, std::span<const std::byte> buffer)
      : launch_(launch), buffer_(buffer), target_(launch.target(0)) {}

  Recorded read_all() {
    for (std::int64_t slot = 0; slot < launch_.life_slots(); ++slot) {
      const std::int64_t block = launch_.every_life ? slot : block_of_mark_slot(slot);
      const trace::MarkSlot marks = trace::mark_slot(target_, static_cast<std::uint32_t>(block));
      // A pick may lie behind the grid, or among the first blocks, which have slots of their own.
      if (block >= launch_.blocks || (!launch_.every_life && marks.index != slot)) continue;
      read_block(block, slot,
                 marks.there ? std::optional<std::int64_t>(marks.index) : std::nullopt);
    }
    return std::move(recorded_);
  }

 private:
  [[nodiscard]] std::int64_t block_of_mark_slot(std::int64_t slot) const {
    if (slot < launch_.first) return slot;
    return trace::pick_of_group(static_cast<std::uint32_t>(slot - launch_.first), target_.shift);
  }

  void read_block(std::int64_t block, std::int64_t slot, std::optional<std::int64_t> mark_slot) {
    for (std::int64_t warp = 0; warp < launch_.warps; ++warp) {
      RecordedWarp one;
      one.block = block;
      one.warp = warp;
      one.life = read<trace::Life>(buffer_, launch_.life(slot, warp));
      if (one.life.multiprocessor == 0) continue;
      one.multiprocessor = one.life.multiprocessor - 1;
      if (one.multiprocessor >= k_most_multiprocessors) {
        ++recorded_.malformed;
        continue;
      }
      if (mark_slot) {
        read_marks(*mark_slot, one);
        if (warp == 0) {
          recorded_.blocks.push_back(
              {one.multiprocessor, read<trace::Anchors>(buffer_, launch_.anchors(*mark_slot))});
        }
      }
      recorded_.warps.push_back(std::move(one));
    }
  }

  void read_marks(std::int64_t slot, RecordedWarp& warp) {
    warp.marked = true;
    const std::size_t at = launch_.marks(slot, warp.warp);
    const auto record = [&](std::int64_t index) {
      return read<trace::Record>(buffer_,
                                 at + static_cast<std::size_t>(index) * sizeof(trace::Record));
    };
    for (std::int64_t i = 0; i < launch_.capacity; ++i) {
      const trace::Record one = record(i);
      if (one.tag == 0) break;
      warp.marks.push_back(one);
    }
    const std::size_t all = record(launch_.capacity).tag;
    warp.dropped = all - std::min(all, warp.marks.size());
  }

  const TracedLaunch& launch_;
  std::span<const std::byte> buffer_;
  trace::Target target_;
  Recorded recorded_;
};

}  // namespace

Recorded read_recorded(const TracedLaunch& launch, std::span<const std::byte> buffer) {
  return Reader(launch, buffer).read_all();
}

}  // namespace kernelloop
