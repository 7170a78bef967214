// Which thread runs next. Always the ready thread of highest priority: in order for seed 0; else a
// random order of warps, of lanes within a warp, drawn anew at every barrier and disturbed now and
// then in between. A round-robin order, however random, hides most missing barriers; this does not.
#pragma once

#include "state.hpp"
#include <stdarg.h>
#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__)
#define KERNELLOOP_CPU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KERNELLOOP_CPU_ASAN 1
#endif
#endif

#ifdef KERNELLOOP_CPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace kernelloop_cpu {

#ifdef KERNELLOOP_CPU_ASAN
constexpr size_t k_stack_bytes = 512u << 10;  // frames carry redzones
#else
constexpr size_t k_stack_bytes = 128u << 10;
#endif
constexpr size_t k_guard_bytes = 64u << 10;  // a multiple of the page size everywhere

inline char* stacks;            // of all threads, guard pages between them
inline const void* main_stack;  // the host's, as AddressSanitizer sees it
inline size_t main_stack_bytes;

inline char* stack_of(size_t thread) { return stacks + thread * (k_stack_bytes + k_guard_bytes); }

inline void switch_to(Thread& next) {
  Thread& self = *state.current;
  state.current = &next;
  state.unlocked_atomics = 0;
  threadIdx = next.index;
#ifdef KERNELLOOP_CPU_ASAN
  if (&next == &state.main) {
    __sanitizer_start_switch_fiber(&self.fake_stack, main_stack, main_stack_bytes);
  } else {
    __sanitizer_start_switch_fiber(
        &self.fake_stack, stack_of(static_cast<size_t>(&next - state.threads)), k_stack_bytes);
  }
  switch_fiber(self.fiber, next.fiber);
  __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#else
  switch_fiber(self.fiber, next.fiber);
#endif
}

// Ends the launch: `format` says what happened. The other threads are never resumed.
[[noreturn]] inline void stop(KernelLoopCpuStatus status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (state.message_size != 0) {
    __builtin_vsnprintf(state.message, state.message_size, format, arguments);
  }
  va_end(arguments);
  state.status = status;
  switch_to(state.main);
  __builtin_unreachable();
}

// As above, and puts "block (x,y,z), thread (x,y,z), file:line: " in front.
[[noreturn]] inline void stop_at(KernelLoopCpuStatus status, Site site, const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  __builtin_vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const uint3 thread = state.current->index;
  stop(status, "block (%u,%u,%u), thread (%u,%u,%u), %s:%u: %s", blockIdx.x, blockIdx.y, blockIdx.z,
       thread.x, thread.y, thread.z, site.file, site.line, text);
}

inline unsigned rotate_right(uint32_t value, unsigned count) {
  return (value >> (count & 31u)) | (value << ((32u - count) & 31u));
}

// The ready lane of highest priority: the smallest (lane - rotation) ^ flip.
inline unsigned first_lane(const Warp& warp) {
  if ((warp.rotation | warp.flip) == 0) {
    return static_cast<unsigned>(__builtin_ctz(warp.ready));
  }
  uint32_t bits = rotate_right(warp.ready, warp.rotation);
  unsigned lane = 0;
  for (unsigned half = 16; half != 0; half /= 2) {
    const uint32_t low = bits & ((1u << half) - 1u);
    const uint32_t high = bits >> half;
    const bool take_high = (warp.flip & half) != 0 ? high != 0 : low == 0;
    bits = take_high ? high : low;
    lane += take_high ? half : 0;
  }
  return (lane + warp.rotation) % k_warp_size;
}

inline void make_ready(Warp& warp, uint32_t lanes) {
  warp.ready |= lanes;
  state.ready_ranks |= 1u << warp.rank;
}

// Gives the warps a new random order. All ready bits move with their warps.
inline void shuffle_warps() {
  for (unsigned i = state.warp_count; i > 1; --i) {
    const unsigned j = next_random() % i;
    const unsigned char other = state.warp_at_rank[j];
    state.warp_at_rank[j] = state.warp_at_rank[i - 1];
    state.warp_at_rank[i - 1] = other;
  }
  state.ready_ranks = 0;
  for (unsigned rank = 0; rank < state.warp_count; ++rank) {
    Warp& warp = state.warps[state.warp_at_rank[rank]];
    warp.rank = rank;
    const uint32_t order = next_random();
    warp.rotation = order & 31u;
    warp.flip = (order >> 5) & 31u;
    if (warp.ready != 0) state.ready_ranks |= 1u << rank;
  }
}

// Now and then lets another warp take this one's place, in the midst of a phase.
inline void disturb(Warp& warp) {
  if (state.random == 0 || (next_random() & 15u) != 0) return;
  const unsigned rank = next_random() % state.warp_count;
  Warp& other = state.warps[state.warp_at_rank[rank]];
  state.warp_at_rank[rank] = state.warp_at_rank[warp.rank];
  state.warp_at_rank[warp.rank] = static_cast<unsigned char>(&other - state.warps);
  other.rank = warp.rank;
  warp.rank = rank;
  state.ready_ranks &= ~(1u << other.rank | 1u << warp.rank);
  if (other.ready != 0) state.ready_ranks |= 1u << other.rank;
  if (warp.ready != 0) state.ready_ranks |= 1u << warp.rank;
}

[[noreturn]] inline void report_deadlock();  // in deadlock.hpp
inline void wake_yielded();                  // below
inline void release_converged(Warp& warp);   // below

// Runs the thread of highest priority; returns when that is the caller again. Whoever can be made
// ready by what the caller did must be so by now.
inline void run_next() {
  if (state.current != &state.main) {
    Warp& own = warp_of(*state.current);
    if (__builtin_expect(own.converging != 0 && own.ready == 0, 0)) release_converged(own);
  }
  if (__builtin_expect(state.ready_ranks == 0, 0)) {
    if (state.yielded == 0) report_deadlock();
    wake_yielded();
  }
  Warp& warp = state.warps[state.warp_at_rank[__builtin_ctz(state.ready_ranks)]];
  Thread& next = thread_at(warp, first_lane(warp));
  if (&next != state.current) switch_to(next);
}

// The running thread can't go on until somebody makes it ready again.
inline void block_current(Wait wait) {
  Thread& self = *state.current;
  self.wait = wait;
  Warp& warp = warp_of(self);
  warp.ready &= ~(1u << lane_of(self));
  if (warp.ready == 0) state.ready_ranks &= ~(1u << warp.rank);
}

// __activemask(): once all other lanes are stuck or gone, the lanes that stand at the same place
// are the converged ones.
inline void release_converged(Warp& warp) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(warp.converging));
  const unsigned line = thread_at(warp, first).site.line;
  uint32_t members = 0;
  for (uint32_t rest = warp.converging; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (thread_at(warp, lane).site.line == line) members |= 1u << lane;
  }
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    warp.out[__builtin_ctz(rest)] = members;
  }
  warp.converging &= ~members;
  make_ready(warp, members);
}

inline uint32_t converged_lanes(Site site) {
  Thread& self = *state.current;
  Warp& warp = warp_of(self);
  const unsigned lane = lane_of(self);
  self.site = site;
  self.what = "__activemask()";
  warp.converging |= 1u << lane;
  block_current(Wait::convergence);
  run_next();
  return static_cast<uint32_t>(warp.out[lane]);
}

inline void wake_yielded() {
  for (unsigned i = 0; i < state.thread_count; ++i) {
    Thread& thread = state.threads[i];
    if (thread.wait == Wait::turn) {
      thread.wait = Wait::none;
      make_ready(warp_of(thread), 1u << lane_of(thread));
    }
  }
  state.yielded = 0;
  ++state.idle_rounds;
}

// Lets every other ready thread run first. A thread that spins calls this again and again; when
// nothing else has happened for very long, what it waits for is not in its block.
inline void yield(Site site) {
  if (residence.blocks > 1 && state.idle_rounds > 1 && !residence.stuck) {
    residence.left = true;
    switch_to(state.main);
  }
  if (state.idle_rounds > (1u << 14) || residence.stuck) {
    stop_at(KERNELLOOP_CPU_NOT_RUNNABLE, site,
            "spins for something that no thread of its block will do, nor one of a block that was "
            "started before; the CPU device can't wait for a block that comes later");
  }
  ++state.yielded;
  state.current->site = site;
  state.current->what = "a spin loop";
  block_current(Wait::turn);
  run_next();
}

// Atomics and fences in a row without a switch are how spin loops look from here.
inline void count_atomic(Site site) {
  if (__builtin_expect(++state.unlocked_atomics > 4096, 0)) yield(site);
}

// Stands in every loop of a version that reads memory afresh without an atomic (cuda_rewriter.cpp).
constexpr bool loop_turn(Site site = Site::here()) {
  if (!__builtin_is_constant_evaluated()) count_atomic(site);
  return true;
}

}  // namespace kernelloop_cpu
