// __syncthreads() and its kin.
#pragma once

#include "deadlock.hpp"
#include <string.h>

namespace kernelloop_cpu {

inline bool same_place(const Thread& a, const Thread& b) {
  return a.site.line == b.site.line && a.site.column == b.site.column && a.what == b.what &&
         (a.site.file == b.site.file || strcmp(a.site.file, b.site.file) == 0);
}

// All live threads are here.
inline void release_barrier() {
  if (state.barrier_mixed) {
    const Thread& first = *state.barrier_first;
    for (unsigned i = 0; i < state.thread_count; ++i) {
      const Thread& other = state.threads[i];
      if (other.wait == Wait::exited || same_place(first, other)) continue;
      stop(KERNELLOOP_CPU_DIVERGENT_BARRIER,
           "block (%u,%u,%u): thread (%u,%u,%u) waits in %s at %s:%u:%u while thread (%u,%u,%u) "
           "waits in %s at %s:%u:%u; all threads of a block must reach the same barrier",
           blockIdx.x, blockIdx.y, blockIdx.z, first.index.x, first.index.y, first.index.z,
           first.what, first.site.file, first.site.line, first.site.column, other.index.x,
           other.index.y, other.index.z, other.what, other.site.file, other.site.line,
           other.site.column);
    }
  }
  state.barrier_result = state.barrier_true;
  state.barrier_arrivals = state.at_barrier;
  state.barrier_true = 0;
  state.at_barrier = 0;
  state.barrier_mixed = false;
  state.idle_rounds = 0;
  for (unsigned i = 0; i < state.warp_count; ++i) {
    Warp& warp = state.warps[i];
    if (warp.live != 0) make_ready(warp, warp.live);
  }
  if (state.random != 0) shuffle_warps();
}

// `what` is one literal per function, so its address tells the functions apart.
inline void wait_at_barrier(bool predicate, const char* what, Site site) {
  Thread& self = *state.current;
  self.site = site;
  self.what = what;
  state.barrier_true += predicate ? 1u : 0u;
  if (state.at_barrier++ == 0) {
    state.barrier_first = &self;
  } else if (!same_place(*state.barrier_first, self)) {
    state.barrier_mixed = true;
  }
  block_current(Wait::barrier);
  if (state.at_barrier == state.live) release_barrier();
  run_next();
  self.wait = Wait::none;
}

}  // namespace kernelloop_cpu
