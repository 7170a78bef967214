// Shuffles, votes, matches and reductions over the lanes of a warp.
#pragma once

#include "../runtime/launch.hpp"

namespace kernelloop_cpu {

enum class Shuffle { index, up, down, exclusive_or };

// The lane whose value this lane gets, by the rules of PTX shfl: its own where the other would
// fall outside its segment of `width` lanes.
inline unsigned shuffle_source(Shuffle kind, int argument, int width, const char* what, Site site) {
  const unsigned segment = static_cast<unsigned>(width);
  if (width <= 0 || segment > k_warp_size || (segment & (segment - 1)) != 0) {
    stop_at(KERNELLOOP_CPU_MASK, site, "%s with width %d; it must be a power of two up to 32", what,
            width);
  }
  const unsigned lane = lane_of(*state.current);
  const unsigned first = lane & ~(segment - 1);
  const unsigned operand = static_cast<unsigned>(argument);
  switch (kind) {
    case Shuffle::index:
      return first + (operand & (segment - 1));
    case Shuffle::up:
      return operand > lane - first ? lane : lane - operand;
    case Shuffle::down:
      return operand > first + segment - 1 - lane ? lane : lane + operand;
    case Shuffle::exclusive_or:
      break;
  }
  const unsigned other = lane ^ (operand & (k_warp_size - 1));
  return other > first + segment - 1 ? lane : other;
}

template <typename T>
inline T shuffle_value(unsigned mask, T value, unsigned source, const char* what, Site site) {
  uint64_t words[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (uint64_t& word : words) word = warp_wide(mask, word, source, complete_gather, what, site);
  T result;
  __builtin_memcpy(static_cast<void*>(&result), words, sizeof(T));
  return result;
}

struct FoldAdd {
  static uint64_t apply(uint64_t a, uint64_t b) { return static_cast<uint32_t>(a + b); }
};
struct FoldAnd {
  static uint64_t apply(uint64_t a, uint64_t b) { return a & b; }
};
struct FoldOr {
  static uint64_t apply(uint64_t a, uint64_t b) { return a | b; }
};
struct FoldXor {
  static uint64_t apply(uint64_t a, uint64_t b) { return a ^ b; }
};
template <typename T>
struct FoldMin {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return static_cast<T>(a) < static_cast<T>(b) ? a : b;
  }
};
template <typename T>
struct FoldMax {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return static_cast<T>(a) < static_cast<T>(b) ? b : a;
  }
};

template <typename T>
inline uint64_t bits_of(T value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

}  // namespace kernelloop_cpu

#define KERNELLOOP_CPU_SITE kernelloop_cpu::Site site = kernelloop_cpu::Site::here()

#define KERNELLOOP_CPU_SHUFFLE(type, name, argument_type, kind)                         \
  inline type name(unsigned mask, type value, argument_type argument, int width = 32,   \
                   KERNELLOOP_CPU_SITE) {                                               \
    const unsigned source = kernelloop_cpu::shuffle_source(                             \
        kernelloop_cpu::Shuffle::kind, static_cast<int>(argument), width, #name, site); \
    return kernelloop_cpu::shuffle_value(mask, value, source, #name, site);             \
  }
#define KERNELLOOP_CPU_SHUFFLES(type)                            \
  KERNELLOOP_CPU_SHUFFLE(type, __shfl_sync, int, index)          \
  KERNELLOOP_CPU_SHUFFLE(type, __shfl_up_sync, unsigned, up)     \
  KERNELLOOP_CPU_SHUFFLE(type, __shfl_down_sync, unsigned, down) \
  KERNELLOOP_CPU_SHUFFLE(type, __shfl_xor_sync, int, exclusive_or)

KERNELLOOP_CPU_SHUFFLES(int)
KERNELLOOP_CPU_SHUFFLES(unsigned int)
KERNELLOOP_CPU_SHUFFLES(long)
KERNELLOOP_CPU_SHUFFLES(unsigned long)
KERNELLOOP_CPU_SHUFFLES(long long)
KERNELLOOP_CPU_SHUFFLES(unsigned long long)
KERNELLOOP_CPU_SHUFFLES(float)
KERNELLOOP_CPU_SHUFFLES(double)

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, KERNELLOOP_CPU_SITE) {
  kernelloop_cpu::warp_wide(mask, 0, 0, kernelloop_cpu::complete_sync, "__syncwarp", site);
}
inline unsigned __activemask(KERNELLOOP_CPU_SITE) { return kernelloop_cpu::converged_lanes(site); }

inline unsigned __ballot_sync(unsigned mask, int predicate, KERNELLOOP_CPU_SITE) {
  return static_cast<unsigned>(kernelloop_cpu::warp_wide(
      mask, predicate != 0, 0, kernelloop_cpu::complete_ballot, "__ballot_sync", site));
}
inline int __any_sync(unsigned mask, int predicate, KERNELLOOP_CPU_SITE) {
  return static_cast<unsigned>(kernelloop_cpu::warp_wide(
             mask, predicate != 0, 0, kernelloop_cpu::complete_ballot, "__any_sync", site)) != 0;
}
inline int __all_sync(unsigned mask, int predicate, KERNELLOOP_CPU_SITE) {
  const uint64_t votes = kernelloop_cpu::warp_wide(
      mask, predicate != 0, 0, kernelloop_cpu::complete_ballot, "__all_sync", site);
  return votes >> 32 == (votes & 0xFFFFFFFFu);
}
inline int __uni_sync(unsigned mask, int predicate, KERNELLOOP_CPU_SITE) {
  const uint64_t votes = kernelloop_cpu::warp_wide(
      mask, predicate != 0, 0, kernelloop_cpu::complete_ballot, "__uni_sync", site);
  return (votes & 0xFFFFFFFFu) == 0 || votes >> 32 == (votes & 0xFFFFFFFFu);
}

#define KERNELLOOP_CPU_MATCH(type)                                                               \
  inline unsigned __match_any_sync(unsigned mask, type value, KERNELLOOP_CPU_SITE) {             \
    return static_cast<unsigned>(kernelloop_cpu::warp_wide(mask, kernelloop_cpu::bits_of(value), \
                                                           0, kernelloop_cpu::complete_match,    \
                                                           "__match_any_sync", site));           \
  }                                                                                              \
  inline unsigned __match_all_sync(unsigned mask, type value, int* all, KERNELLOOP_CPU_SITE) {   \
    const uint64_t lanes =                                                                       \
        kernelloop_cpu::warp_wide(mask, kernelloop_cpu::bits_of(value), 0,                       \
                                  kernelloop_cpu::complete_match, "__match_all_sync", site);     \
    *all = lanes >> 32 == (lanes & 0xFFFFFFFFu);                                                 \
    return *all != 0 ? static_cast<unsigned>(lanes) : 0u;                                        \
  }
KERNELLOOP_CPU_MATCH(int)
KERNELLOOP_CPU_MATCH(unsigned int)
KERNELLOOP_CPU_MATCH(long)
KERNELLOOP_CPU_MATCH(unsigned long)
KERNELLOOP_CPU_MATCH(long long)
KERNELLOOP_CPU_MATCH(unsigned long long)
KERNELLOOP_CPU_MATCH(float)
KERNELLOOP_CPU_MATCH(double)
#undef KERNELLOOP_CPU_MATCH

#define KERNELLOOP_CPU_REDUCE(type, name, fold)                             \
  inline type name(unsigned mask, type value, KERNELLOOP_CPU_SITE) {        \
    return static_cast<type>(kernelloop_cpu::warp_wide(                     \
        mask, static_cast<unsigned>(value), 0,                              \
        kernelloop_cpu::complete_fold<kernelloop_cpu::fold>, #name, site)); \
  }
KERNELLOOP_CPU_REDUCE(unsigned, __reduce_add_sync, FoldAdd)
KERNELLOOP_CPU_REDUCE(int, __reduce_add_sync, FoldAdd)
KERNELLOOP_CPU_REDUCE(unsigned, __reduce_min_sync, FoldMin<unsigned>)
KERNELLOOP_CPU_REDUCE(int, __reduce_min_sync, FoldMin<int>)
KERNELLOOP_CPU_REDUCE(unsigned, __reduce_max_sync, FoldMax<unsigned>)
KERNELLOOP_CPU_REDUCE(int, __reduce_max_sync, FoldMax<int>)
KERNELLOOP_CPU_REDUCE(unsigned, __reduce_and_sync, FoldAnd)
KERNELLOOP_CPU_REDUCE(unsigned, __reduce_or_sync, FoldOr)
KERNELLOOP_CPU_REDUCE(unsigned, __reduce_xor_sync, FoldXor)
#undef KERNELLOOP_CPU_REDUCE
