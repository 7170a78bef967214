// What the emulation knows of the block that runs: its threads, its warps, who waits for what.
//
// A version's shared object holds one such state. It runs one launch at a time, on one host
// thread, block after block (residents.hpp); every CUDA thread is a fiber.
#pragma once

#include "../abi.h"
#include "../device/vector_types.hpp"
#include "fiber.hpp"
#include <stddef.h>
#include <stdint.h>
#ifndef __clang__
#include <source_location>
#endif

namespace kernelloop_cpu {

constexpr unsigned k_warp_size = 32;
constexpr unsigned k_max_threads = 1024;
constexpr unsigned k_max_warps = k_max_threads / k_warp_size;
constexpr size_t k_max_shared_bytes = 232448;        // static and dynamic together, with opt-in
constexpr size_t k_max_static_shared_bytes = 49152;  // more does not pass ptxas

// A place in the source, as a default argument of the functions that kernels call. The column tells
// two barriers in one line apart; g++ 12 has no __builtin_COLUMN.
struct Site {
  const char* file;
  unsigned line;
  unsigned column;

#ifdef __clang__
  static constexpr Site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                             unsigned column = __builtin_COLUMN()) {
    return Site{file, line, column};
  }
#else
  static constexpr Site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                             std::source_location location = std::source_location::current()) {
    return Site{file, line, location.column()};
  }
#endif
};

enum class Wait : unsigned char { none, barrier, warp, convergence, turn, exited };

struct Warp;
// Works out the results of a warp-wide function for the lanes in `members`.
using Completion = void (*)(Warp& warp, uint32_t members);

struct Thread {
  Fiber fiber;
  uint3 index;
  Wait wait;
  uint32_t mask;          // of the warp-wide function it waits in
  Completion completion;  // of that function
  const char* what;       // its name
  Site site;              // where it waits
  void* fake_stack;       // AddressSanitizer's, while the fiber is left
};

struct Warp {
  uint32_t ready;       // lanes that can run, the running one included
  uint32_t live;        // lanes that exist and have not exited
  uint32_t waiting;     // lanes in a warp-wide function
  uint32_t converging;  // lanes in __activemask()
  uint32_t rotation;    // the order of lanes under a random schedule
  uint32_t flip;
  uint32_t rank;  // of this warp in the order of warps
  uint64_t in[k_warp_size];
  uint64_t out[k_warp_size];
  unsigned char source[k_warp_size];
};

struct State {
  Thread threads[k_max_threads];
  Warp warps[k_max_warps];
  Thread main;  // the host's own stack, between blocks
  Thread* current;

  uint32_t ready_ranks;  // bit r: the warp of rank r has ready lanes; rank 0 runs first
  unsigned char warp_at_rank[k_max_warps];
  unsigned thread_count;
  unsigned warp_count;
  unsigned live;
  unsigned yielded;           // threads that gave up their turn
  unsigned unlocked_atomics;  // atomics since the last switch, to notice spinning
  unsigned idle_rounds;       // rounds in which every thread only gave up its turn

  unsigned at_barrier;
  unsigned barrier_true;  // predicates that held, of the barrier under way
  bool barrier_mixed;
  Thread* barrier_first;
  unsigned barrier_result;    // of the last barrier: predicates that held ...
  unsigned barrier_arrivals;  // ... of how many

  uint64_t random;  // state of the generator; 0: threads run in order
  uint64_t noise;   // the same for what shared memory holds before the block; 0: 0xFF
  unsigned launch;  // counts launches
  size_t static_shared_bytes;
  size_t dynamic_shared_bytes;

  void (*call)(void* const* arguments);
  void* const* arguments;

  KernelLoopCpuStatus status;
  char* message;
  size_t message_size;
};

inline State state;

// What concerns all blocks that are resident, whichever runs.
struct Residence {
  unsigned blocks;  // that have not ended
  bool left;        // the block that ran has been left: all of its threads only wait
  bool stuck;       // so have all others, again and again
  unsigned early;   // of `blocks`, those that started before their group
};
inline Residence residence;

inline Warp& warp_of(const Thread& thread) {
  return state.warps[static_cast<size_t>(&thread - state.threads) / k_warp_size];
}
inline unsigned lane_of(const Thread& thread) {
  return static_cast<unsigned>(&thread - state.threads) % k_warp_size;
}
inline Thread& thread_at(const Warp& warp, unsigned lane) {
  return state.threads[static_cast<size_t>(&warp - state.warps) * k_warp_size + lane];
}

// xorshift64*; never called while the generator's state is 0.
inline uint64_t draw(uint64_t& generator) {
  uint64_t x = generator;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  generator = x;
  return x * 0x2545F4914F6CDD1Dull;
}
inline uint32_t next_random() { return static_cast<uint32_t>(draw(state.random) >> 32); }

// The state of a generator for block number `block`: neighbouring seeds and blocks have unlike
// ones.
inline uint64_t generator_of(uint64_t seed, uint64_t block) {
  if (seed == 0) return 0;
  uint64_t mixed = (seed + block * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
  mixed ^= mixed >> 31;
  return mixed | 1u;
}

}  // namespace kernelloop_cpu

// The built-in variables. Set at every switch to another thread.
inline uint3 threadIdx;
inline uint3 blockIdx;
inline dim3 blockDim;
inline dim3 gridDim;
static constexpr int warpSize = 32;
