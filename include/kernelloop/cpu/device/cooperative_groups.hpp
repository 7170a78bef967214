// Cooperative groups: the thread block, tiles of up to 32 threads, coalesced threads, and their
// reductions and scans. Grids and clusters need blocks that run side by side: not here.
#pragma once

#include "synchronization.hpp"
#include "warp_functions.hpp"

namespace kernelloop_cpu {

inline unsigned linear_thread() { return static_cast<unsigned>(state.current - state.threads); }

// A group of lanes of the running warp: what tiles and coalesced threads have in common.
class LaneGroup {
 public:
  [[nodiscard]] unsigned thread_rank() const {
    return static_cast<unsigned>(
        __builtin_popcount(mask_ & ((1u << lane_of(*state.current)) - 1u)));
  }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
  [[nodiscard]] unsigned num_threads() const { return size(); }

  void sync(KERNELLOOP_CPU_SITE) const { __syncwarp(mask_, site); }

  template <typename T>
  T shfl(T value, int rank, KERNELLOOP_CPU_SITE) const {
    return from(value, static_cast<unsigned>(rank) % size(), "shfl", site);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta, KERNELLOOP_CPU_SITE) const {
    const unsigned rank = thread_rank();
    return from(value, delta > rank ? rank : rank - delta, "shfl_up", site);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta, KERNELLOOP_CPU_SITE) const {
    const unsigned rank = thread_rank();
    return from(value, delta >= size() - rank ? rank : rank + delta, "shfl_down", site);
  }
  template <typename T>
  T shfl_xor(T value, unsigned mask, KERNELLOOP_CPU_SITE) const {
    const unsigned other = thread_rank() ^ mask;
    return from(value, other < size() ? other : thread_rank(), "shfl_xor", site);
  }
  int any(int predicate, KERNELLOOP_CPU_SITE) const { return __any_sync(mask_, predicate, site); }
  int all(int predicate, KERNELLOOP_CPU_SITE) const { return __all_sync(mask_, predicate, site); }
  unsigned ballot(int predicate, KERNELLOOP_CPU_SITE) const {
    return ranks(__ballot_sync(mask_, predicate, site));
  }
  template <typename T>
  unsigned match_any(T value, KERNELLOOP_CPU_SITE) const {
    return ranks(__match_any_sync(mask_, value, site));
  }
  template <typename T>
  unsigned match_all(T value, int& all, KERNELLOOP_CPU_SITE) const {
    return ranks(__match_all_sync(mask_, value, &all, site));
  }

  // All lanes' values folded by `op`, lower ranks on its left: the same on every lane.
  template <typename T, typename Op>
  T fold(T value, Op op, Site site) const {
    const unsigned rank = thread_rank();
    const unsigned count = size();
    if ((count & (count - 1)) != 0)
      return shfl(scan(value, op, site), static_cast<int>(count - 1), site);
    for (unsigned step = 1; step < count; step *= 2) {
      const T other = from(value, rank ^ step, "reduce", site);
      value = (rank & step) != 0 ? op(other, value) : op(value, other);
    }
    return value;
  }

  // The values of the ranks up to and with this one, folded.
  template <typename T, typename Op>
  T scan(T value, Op op, Site site) const {
    const unsigned rank = thread_rank();
    for (unsigned step = 1; step < size(); step *= 2) {
      const T other = from(value, rank >= step ? rank - step : rank, "scan", site);
      if (rank >= step) value = op(other, value);
    }
    return value;
  }

 protected:
  explicit LaneGroup(unsigned mask) : mask_(mask) {}

  // The lane of a rank: the rank-th set bit of the mask.
  [[nodiscard]] unsigned lane_of_rank(unsigned rank) const {
    unsigned rest = mask_;
    for (; rank != 0; --rank) rest &= rest - 1;
    return static_cast<unsigned>(__builtin_ctz(rest));
  }
  template <typename T>
  T from(T value, unsigned rank, const char* what, Site site) const {
    return shuffle_value(mask_, value, lane_of_rank(rank), what, site);
  }
  // Lanes to ranks.
  [[nodiscard]] unsigned ranks(unsigned lanes) const {
    unsigned result = 0;
    unsigned rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank) {
      if ((lanes >> __builtin_ctz(rest) & 1u) != 0) result |= 1u << rank;
    }
    return result;
  }

  unsigned mask_;
};

}  // namespace kernelloop_cpu

namespace cooperative_groups {

using kernelloop_cpu::Site;

class thread_block {
 public:
  void sync(KERNELLOOP_CPU_SITE) const { __syncthreads(site); }
  [[nodiscard]] static unsigned thread_rank() { return kernelloop_cpu::linear_thread(); }
  [[nodiscard]] static unsigned size() { return kernelloop_cpu::state.thread_count; }
  [[nodiscard]] static unsigned num_threads() { return size(); }
  [[nodiscard]] static dim3 group_index() { return blockIdx; }
  [[nodiscard]] static dim3 thread_index() { return threadIdx; }
  [[nodiscard]] static dim3 group_dim() { return blockDim; }
  [[nodiscard]] static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

namespace details {
struct no_parent {};
}  // namespace details

template <unsigned tile_size, typename Parent = details::no_parent>
class thread_block_tile : public kernelloop_cpu::LaneGroup {
  static_assert(tile_size <= 32,
                "KERNELLOOP_NOT_RUNNABLE: a cooperative-groups tile of more than 32 threads");
  static_assert(tile_size != 0 && (tile_size & (tile_size - 1)) == 0,
                "the size of a tile must be a power of two");

 public:
  thread_block_tile() : LaneGroup(mask_here()) {}
  [[nodiscard]] static constexpr unsigned size() { return tile_size; }
  [[nodiscard]] static constexpr unsigned num_threads() { return tile_size; }
  [[nodiscard]] unsigned thread_rank() const { return kernelloop_cpu::linear_thread() % tile_size; }
  [[nodiscard]] unsigned meta_group_rank() const {
    return kernelloop_cpu::linear_thread() % parent_size() / tile_size;
  }
  [[nodiscard]] unsigned meta_group_size() const {
    return (parent_size() + tile_size - 1) / tile_size;
  }

 private:
  static unsigned mask_here() {
    const unsigned first = kernelloop_cpu::linear_thread() % 32u / tile_size * tile_size;
    return (tile_size == 32 ? ~0u : (1u << tile_size % 32u) - 1u) << first;
  }
  static unsigned parent_size() {
    if constexpr (requires { Parent::size(); }) {
      return Parent::size();
    } else {
      return thread_block::size();
    }
  }
};

template <unsigned tile_size>
thread_block_tile<tile_size, thread_block> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned tile_size, unsigned parent_size, typename Parent>
thread_block_tile<tile_size, thread_block_tile<parent_size, Parent>> tiled_partition(
    const thread_block_tile<parent_size, Parent>&) {
  static_assert(tile_size <= parent_size, "a tile can't be larger than what it is cut from");
  return {};
}

class coalesced_group : public kernelloop_cpu::LaneGroup {
 public:
  explicit coalesced_group(unsigned mask) : LaneGroup(mask) {}
  [[nodiscard]] static unsigned meta_group_rank() { return 0; }
  [[nodiscard]] static unsigned meta_group_size() { return 1; }
};
inline coalesced_group coalesced_threads(KERNELLOOP_CPU_SITE) {
  return coalesced_group(__activemask(site));
}

template <typename Group>
void sync(const Group& group, KERNELLOOP_CPU_SITE) {
  group.sync(site);
}
template <typename Group>
unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
unsigned group_size(const Group& group) {
  return group.size();
}

// As function objects for one type, or for any with <> or nothing in the brackets.
#define KERNELLOOP_CPU_OPERATION(name, expression)      \
  template <typename T = void>                          \
  struct name {                                         \
    T operator()(T a, T b) const { return expression; } \
  };                                                    \
  template <>                                           \
  struct name<void> {                                   \
    template <typename T>                               \
    T operator()(T a, T b) const {                      \
      return expression;                                \
    }                                                   \
  };
KERNELLOOP_CPU_OPERATION(plus, a + b)
KERNELLOOP_CPU_OPERATION(less, b < a ? b : a)
KERNELLOOP_CPU_OPERATION(greater, a < b ? b : a)
KERNELLOOP_CPU_OPERATION(bit_and, a& b)
KERNELLOOP_CPU_OPERATION(bit_or, a | b)
KERNELLOOP_CPU_OPERATION(bit_xor, a ^ b)
#undef KERNELLOOP_CPU_OPERATION

template <typename T, typename Op>
T reduce(const kernelloop_cpu::LaneGroup& group, T value, Op op, KERNELLOOP_CPU_SITE) {
  return group.fold(value, op, site);
}
template <typename T, typename Op>
T inclusive_scan(const kernelloop_cpu::LaneGroup& group, T value, Op op, KERNELLOOP_CPU_SITE) {
  return group.scan(value, op, site);
}
template <typename T>
T inclusive_scan(const kernelloop_cpu::LaneGroup& group, T value, KERNELLOOP_CPU_SITE) {
  return group.scan(value, plus<T>{}, site);
}
template <typename T, typename Op>
T exclusive_scan(const kernelloop_cpu::LaneGroup& group, T value, Op op, KERNELLOOP_CPU_SITE) {
  const T before = group.shfl_up(group.scan(value, op, site), 1, site);
  return group.thread_rank() == 0 ? T{} : before;
}
template <typename T>
T exclusive_scan(const kernelloop_cpu::LaneGroup& group, T value, KERNELLOOP_CPU_SITE) {
  return exclusive_scan(group, value, plus<T>{}, site);
}

template <typename Group, typename F>
void invoke_one(const Group& group, F function) {
  if (group.thread_rank() == 0) function();
}

}  // namespace cooperative_groups
