// Warp-wide functions: every lane of the mask brings a value, the last one to come works out the
// results of all, then each takes its own.
#pragma once

#include "barrier.hpp"

namespace kernelloop_cpu {

constexpr uint64_t k_undefined = ~0ull;  // what a lane reads from one that brought nothing

inline void complete(Warp& warp, unsigned lane, uint32_t members) {
  const Thread& self = thread_at(warp, lane);
  const Thread* const lanes = &thread_at(warp, 0);
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    const Thread& other = lanes[__builtin_ctz(rest)];
    if (other.mask == self.mask && other.completion == self.completion) continue;
    char text[256];
    describe_wait(other, text, sizeof text);
    stop(
        KERNELLOOP_CPU_MASK,
        "block (%u,%u,%u), thread (%u,%u,%u), %s:%u: %s with mask 0x%08x meets another function or "
        "mask: %s",
        blockIdx.x, blockIdx.y, blockIdx.z, self.index.x, self.index.y, self.index.z,
        self.site.file, self.site.line, self.what, self.mask, text);
  }
  self.completion(warp, members);
  warp.waiting &= ~members;
  state.idle_rounds = 0;
  make_ready(warp, members);
  disturb(warp);
}

// A lane that exits may be the last one that others waited for.
inline void complete_without(Warp& warp) {
  for (uint32_t rest = warp.waiting; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if ((warp.waiting & (1u << lane)) == 0) continue;  // released with an earlier one
    const uint32_t members = thread_at(warp, lane).mask & warp.live;
    if ((warp.waiting & members) == members) complete(warp, lane, members);
  }
}

// Lanes of the mask that have exited or never existed are not waited for, as on hardware.
inline uint64_t warp_wide(uint32_t mask, uint64_t value, unsigned source, Completion completion,
                          const char* what, Site site) {
  Thread& self = *state.current;
  Warp& warp = warp_of(self);
  const unsigned lane = lane_of(self);
  if ((mask & (1u << lane)) == 0) {
    stop_at(KERNELLOOP_CPU_MASK, site, "%s is called by lane %u, which its mask 0x%08x leaves out",
            what, lane, mask);
  }
  self.mask = mask;
  self.completion = completion;
  self.what = what;
  self.site = site;
  warp.in[lane] = value;
  warp.source[lane] = static_cast<unsigned char>(source);
  warp.waiting |= 1u << lane;
  const uint32_t members = mask & warp.live;
  if ((warp.waiting & members) == members) {
    self.wait = Wait::warp;
    complete(warp, lane, members);
  } else {
    block_current(Wait::warp);
  }
  run_next();
  self.wait = Wait::none;
  return warp.out[lane];
}

inline void complete_sync(Warp&, uint32_t) {}

inline void complete_gather(Warp& warp, uint32_t members) {
  if (members == ~0u) {
    for (unsigned lane = 0; lane < k_warp_size; ++lane) {
      warp.out[lane] = warp.in[warp.source[lane]];
    }
    return;
  }
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const unsigned source = warp.source[lane];
    warp.out[lane] = (members >> source & 1u) != 0 ? warp.in[source] : k_undefined;
  }
}

// One result for all lanes: `F` folds the lanes' values into it.
template <typename F>
inline void complete_fold(Warp& warp, uint32_t members) {
  uint64_t result = warp.in[__builtin_ctz(members)];
  for (uint32_t rest = members & (members - 1); rest != 0; rest &= rest - 1) {
    result = F::apply(result, warp.in[__builtin_ctz(rest)]);
  }
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    warp.out[__builtin_ctz(rest)] = result;
  }
}

inline uint32_t lanes_equal(const Warp& warp, uint32_t members, uint64_t value) {
  uint32_t equal = 0;
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (warp.in[lane] == value) equal |= 1u << lane;
  }
  return equal;
}

inline void complete_ballot(Warp& warp, uint32_t members) {
  const uint32_t votes = lanes_equal(warp, members, 1);
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    warp.out[__builtin_ctz(rest)] = static_cast<uint64_t>(members) << 32 | votes;
  }
}

inline void complete_match(Warp& warp, uint32_t members) {
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    warp.out[lane] =
        static_cast<uint64_t>(members) << 32 | lanes_equal(warp, members, warp.in[lane]);
  }
}

}  // namespace kernelloop_cpu
