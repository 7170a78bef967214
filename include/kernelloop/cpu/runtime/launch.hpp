// Runs a launch: its blocks, and the threads of each as fibers.
#pragma once

#include "residents.hpp"
#include "shared_memory.hpp"
#include "warp.hpp"
#include <sys/mman.h>

namespace kernelloop_cpu {

struct Kernel {
  const char* name;
  void (*call)(void* const* arguments);
  unsigned max_threads;  // of __launch_bounds__, or the device's limit
};

// The running thread has returned from its kernel.
inline void exit_current() {
  Thread& self = *state.current;
  Warp& warp = warp_of(self);
  warp.live &= ~(1u << lane_of(self));
  --state.live;
  state.idle_rounds = 0;
  block_current(Wait::exited);
  if (state.live == 0) {
    switch_to(state.main);
    return;
  }
  if (warp.waiting != 0) complete_without(warp);
  if (state.at_barrier == state.live) release_barrier();
  run_next();
}

// What every fiber runs. It is left at the end of a block and entered again by the next one.
inline void thread_main() {
#ifdef KERNELLOOP_CPU_ASAN
  __sanitizer_finish_switch_fiber(nullptr, main_stack == nullptr ? &main_stack : nullptr,
                                  main_stack_bytes == 0 ? &main_stack_bytes : nullptr);
#endif
  for (;;) {
    state.call(state.arguments);
    exit_current();
  }
}

// Fibers of threads 0 .. count-1 stand ready to run. False when there is no memory for stacks.
inline bool prime_threads(unsigned count) {
  constexpr size_t each = k_stack_bytes + k_guard_bytes;
  if (stacks == nullptr) {
    void* memory = mmap(nullptr, k_max_threads * each, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    stacks = static_cast<char*>(memory) + k_guard_bytes;
  }
  for (; primed_threads < count; ++primed_threads) {
    char* bottom = stack_of(primed_threads);
    // The last stack has its guard below it, as all have.
    if (mprotect(bottom, k_stack_bytes, PROT_READ | PROT_WRITE) != 0) return false;
    // Tops at the same offset of their pages would all fall into the same few cache sets.
    const size_t colour = primed_threads % 16 * 256;
    prime(state.threads[primed_threads].fiber, bottom, k_stack_bytes - colour, thread_main);
    state.threads[primed_threads].fake_stack = nullptr;
  }
  return true;
}

inline void start_block() {
  state.live = state.thread_count;
  state.yielded = 0;
  state.idle_rounds = 0;
  state.at_barrier = 0;
  state.barrier_true = 0;
  state.barrier_mixed = false;
  state.ready_ranks = 0;
  for (unsigned i = 0; i < state.warp_count; ++i) {
    Warp& warp = state.warps[i];
    const unsigned lanes = state.thread_count - i * k_warp_size;
    warp.live = lanes >= k_warp_size ? ~0u : (1u << lanes) - 1u;
    warp.waiting = 0;
    warp.converging = 0;
    warp.rotation = 0;
    warp.flip = 0;
    warp.rank = i;
    warp.ready = 0;
    state.warp_at_rank[i] = static_cast<unsigned char>(i);
    make_ready(warp, warp.live);
  }
  for (unsigned i = 0; i < state.thread_count; ++i) state.threads[i].wait = Wait::none;
  if (state.random != 0) shuffle_warps();
  poison_shared_memory();
}

inline KernelLoopCpuStatus refuse(KernelLoopCpuStatus status, char* message, size_t size,
                                  const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (size != 0) __builtin_vsnprintf(message, size, format, arguments);
  va_end(arguments);
  return status;
}

inline KernelLoopCpuStatus check_limits(const Kernel& kernel, const KernelLoopCpuLaunch& launch,
                                        char* message, size_t size) {
  static const uint64_t max_grid[3] = {2147483647, 65535, 65535};
  static const uint64_t max_block[3] = {1024, 1024, 64};
  for (int i = 0; i < 3; ++i) {
    const char axis = "xyz"[i];
    if (launch.grid[i] < 1 || launch.grid[i] > max_grid[i]) {
      return refuse(KERNELLOOP_CPU_LIMIT, message, size,
                    "%s: grid %c is %llu; it must be 1 to %llu", kernel.name, axis,
                    static_cast<unsigned long long>(launch.grid[i]),
                    static_cast<unsigned long long>(max_grid[i]));
    }
    if (launch.block[i] < 1 || launch.block[i] > max_block[i]) {
      return refuse(KERNELLOOP_CPU_LIMIT, message, size,
                    "%s: block %c is %llu; it must be 1 to %llu", kernel.name, axis,
                    static_cast<unsigned long long>(launch.block[i]),
                    static_cast<unsigned long long>(max_block[i]));
    }
  }
  const uint64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (threads > kernel.max_threads) {
    return refuse(KERNELLOOP_CPU_LIMIT, message, size,
                  "%s: %llu threads a block; the kernel can be launched with at most %u",
                  kernel.name, static_cast<unsigned long long>(threads), kernel.max_threads);
  }
  if (launch.dynamic_shared_bytes > k_max_shared_bytes) {
    return refuse(KERNELLOOP_CPU_LIMIT, message, size,
                  "%s: %zu bytes of dynamic shared memory; a block can have %zu", kernel.name,
                  launch.dynamic_shared_bytes, k_max_shared_bytes);
  }
  return KERNELLOOP_CPU_OK;
}

inline void set_indices() {
  unsigned i = 0;
  for (unsigned z = 0; z < blockDim.z; ++z) {
    for (unsigned y = 0; y < blockDim.y; ++y) {
      for (unsigned x = 0; x < blockDim.x; ++x) state.threads[i++].index = uint3{x, y, z};
    }
  }
}

inline void set_shape(const KernelLoopCpuLaunch& launch) {
  blockDim = dim3(static_cast<unsigned>(launch.block[0]), static_cast<unsigned>(launch.block[1]),
                  static_cast<unsigned>(launch.block[2]));
  gridDim = dim3(static_cast<unsigned>(launch.grid[0]), static_cast<unsigned>(launch.grid[1]),
                 static_cast<unsigned>(launch.grid[2]));
  state.thread_count = blockDim.x * blockDim.y * blockDim.z;
  state.warp_count = (state.thread_count + k_warp_size - 1) / k_warp_size;
  set_indices();
}
inline uint3 index_of_block(uint64_t block) {
  const uint64_t row = block / gridDim.x;
  return uint3{static_cast<unsigned>(block % gridDim.x), static_cast<unsigned>(row % gridDim.y),
               static_cast<unsigned>(row / gridDim.y)};
}

// Starts block number `block` and lets it run until it ends, is left or is stopped. False when
// there is no memory for its stacks.
inline bool run_block(uint64_t block, bool early, const KernelLoopCpuLaunch& launch) {
  if (enter_free_place()) set_indices();
  places[current_place].early = early;
  if (!prime_threads(state.thread_count)) return false;
  blockIdx = index_of_block(block);
  state.random = generator_of(launch.schedule_seed, block);
  state.noise = generator_of(launch.noise_seed, block);
  start_block();
  run_on();
  return true;
}

// Blocks that start before all others.
struct EarlyBlocks {
  uint64_t numbers[k_early];
  unsigned count = 0;

  bool has(uint64_t block) const {
    for (unsigned i = 0; i < count; ++i) {
      if (numbers[i] == block) return true;
    }
    return false;
  }
};

// Drawn from the blocks behind the first group.
inline EarlyBlocks draw_early(uint64_t blocks, uint64_t schedule_seed) {
  EarlyBlocks early;
  uint64_t generator = generator_of(schedule_seed, ~blocks);
  for (unsigned i = 0; generator != 0 && blocks > k_residents && i < k_early; ++i) {
    const uint64_t block = k_residents + (draw(generator) >> 32) % (blocks - k_residents);
    if (!early.has(block)) early.numbers[early.count++] = block;
  }
  return early;
}

inline bool run_early(const EarlyBlocks& early, const KernelLoopCpuLaunch& launch) {
  const unsigned others = 1;  // at least, which an early block may be left for
  residence = Residence{early.count + others, false, false, early.count};
  for (unsigned i = 0; i < early.count; ++i) {
    if (!run_block(early.numbers[i], true, launch)) return false;
    if (state.status != KERNELLOOP_CPU_OK) return true;
  }
  residence.blocks -= others;
  return true;
}

// Runs those of the blocks first .. first + count - 1 that have not started, in an order drawn from
// the schedule. One that only waits is left for the others and taken up again; see residents.hpp.
inline bool run_group(uint64_t first, unsigned count, const EarlyBlocks& early, bool last_group,
                      const KernelLoopCpuLaunch& launch) {
  unsigned char order[k_residents];
  unsigned own = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!early.has(first + i)) order[own++] = static_cast<unsigned char>(i);
  }
  uint64_t generator = generator_of(launch.schedule_seed, ~first);
  for (unsigned i = own; generator != 0 && i > 1; --i) {
    const unsigned j = static_cast<unsigned>((draw(generator) >> 32) % i);
    const unsigned char other = order[j];
    order[j] = order[i - 1];
    order[i - 1] = other;
  }
  residence.blocks += own;
  for (unsigned i = 0; i < own; ++i) {
    if (!run_block(first + order[i], false, launch)) return false;
    if (state.status != KERNELLOOP_CPU_OK) return true;
  }
  finish_blocks_left(last_group);
  return true;
}

inline void run_blocks(const KernelLoopCpuLaunch& launch, char* message, size_t size) {
  const uint64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const uint64_t most = launch.schedule_seed == 0 ? 1 : k_residents;
  const EarlyBlocks early = draw_early(blocks, launch.schedule_seed);
  bool enough = run_early(early, launch);
  for (uint64_t first = 0; enough && first < blocks && state.status == KERNELLOOP_CPU_OK;
       first += most) {
    const uint64_t left = blocks - first;
    enough = run_group(first, static_cast<unsigned>(left < most ? left : most), early, left <= most,
                       launch);
  }
  if (!enough) {
    state.status = refuse(KERNELLOOP_CPU_LIMIT, message, size,
                          "no memory for the stacks of %u threads", state.thread_count);
  }
}

inline KernelLoopCpuStatus run_launch(const Kernel& kernel, const KernelLoopCpuLaunch& launch,
                                      char* message, size_t size) {
  if (size != 0) message[0] = '\0';
  const KernelLoopCpuStatus limits = check_limits(kernel, launch, message, size);
  if (limits != KERNELLOOP_CPU_OK) return limits;
  set_shape(launch);
  ++state.launch;
  state.static_shared_bytes = 0;
  state.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  state.call = kernel.call;
  state.arguments = launch.arguments;
  state.status = KERNELLOOP_CPU_OK;
  state.message = message;
  state.message_size = size;
  fence_dynamic_memory();
  run_blocks(launch, message, size);
  if (state.status != KERNELLOOP_CPU_OK) abandon_threads();
  return state.status;
}

}  // namespace kernelloop_cpu
