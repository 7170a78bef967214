// Nobody can run: says who waits where for whom.
#pragma once

#include "scheduler.hpp"

namespace kernelloop_cpu {

inline void describe_wait(const Thread& thread, char* text, size_t size) {
  const uint3 i = thread.index;
  switch (thread.wait) {
    case Wait::exited:
      __builtin_snprintf(text, size, "thread (%u,%u,%u) has exited", i.x, i.y, i.z);
      break;
    case Wait::none:
    case Wait::turn:
      __builtin_snprintf(text, size, "thread (%u,%u,%u) runs", i.x, i.y, i.z);
      break;
    case Wait::warp:
      __builtin_snprintf(text, size, "thread (%u,%u,%u) is in %s with mask 0x%08x at %s:%u", i.x,
                         i.y, i.z, thread.what, thread.mask, thread.site.file, thread.site.line);
      break;
    case Wait::barrier:
    case Wait::convergence:
      __builtin_snprintf(text, size, "thread (%u,%u,%u) is in %s at %s:%u", i.x, i.y, i.z,
                         thread.what, thread.site.file, thread.site.line);
      break;
  }
}

// Every live thread at a barrier releases it, so somebody waits in a warp-wide function for lanes
// that never come.
[[noreturn]] inline void report_deadlock() {
  for (unsigned i = 0; i < state.thread_count; ++i) {
    const Thread& thread = state.threads[i];
    if (thread.wait != Wait::warp) continue;
    const Warp& warp = warp_of(thread);
    const uint32_t missing = thread.mask & warp.live & ~warp.waiting;
    const uint32_t strangers = missing != 0 ? missing : thread.mask & warp.live;
    for (uint32_t rest = strangers; rest != 0; rest &= rest - 1) {
      const Thread& other = thread_at(warp, static_cast<unsigned>(__builtin_ctz(rest)));
      if (other.wait == Wait::warp && other.mask == thread.mask) continue;
      char text[256];
      describe_wait(other, text, sizeof text);
      stop(KERNELLOOP_CPU_MASK,
           "block (%u,%u,%u), thread (%u,%u,%u), %s:%u: %s waits for lanes 0x%08x of its mask "
           "0x%08x, which never come: %s",
           blockIdx.x, blockIdx.y, blockIdx.z, thread.index.x, thread.index.y, thread.index.z,
           thread.site.file, thread.site.line, thread.what, strangers, thread.mask, text);
    }
  }
  stop(KERNELLOOP_CPU_DIVERGENT_BARRIER, "block (%u,%u,%u): no thread can go on", blockIdx.x,
       blockIdx.y, blockIdx.z);
}

}  // namespace kernelloop_cpu
