// Loads and stores with cache hints (which mean nothing here) and questions about address spaces.
#pragma once

#include "../runtime/launch.hpp"

#define KERNELLOOP_CPU_LOAD(name)   \
  template <typename T>             \
  inline T name(const T* address) { \
    return *address;                \
  }
#define KERNELLOOP_CPU_STORE(name)                                                 \
  template <typename T>                                                            \
  inline void name(T* address, typename kernelloop_cpu::Identity<T>::Type value) { \
    *address = value;                                                              \
  }
namespace kernelloop_cpu {
template <typename T>
struct Identity {
  using Type = T;
};
}  // namespace kernelloop_cpu

KERNELLOOP_CPU_LOAD(__ldg)
KERNELLOOP_CPU_LOAD(__ldca)
KERNELLOOP_CPU_LOAD(__ldcg)
KERNELLOOP_CPU_LOAD(__ldcs)
KERNELLOOP_CPU_LOAD(__ldcv)
KERNELLOOP_CPU_LOAD(__ldlu)
KERNELLOOP_CPU_STORE(__stcg)
KERNELLOOP_CPU_STORE(__stcs)
KERNELLOOP_CPU_STORE(__stwb)
KERNELLOOP_CPU_STORE(__stwt)
#undef KERNELLOOP_CPU_LOAD
#undef KERNELLOOP_CPU_STORE

inline void __prefetch_global_l1_evict_normal(const void*) {}

inline unsigned __isShared(const void* address) {
  const unsigned char* byte = static_cast<const unsigned char*>(address);
  const unsigned char* dynamic = kernelloop_cpu::dynamic_memory();
  if (byte >= dynamic && byte < dynamic + kernelloop_cpu::state.dynamic_shared_bytes) return 1;
  for (const kernelloop_cpu::SharedSlot* slot = kernelloop_cpu::shared_slots; slot != nullptr;
       slot = slot->next) {
    const unsigned char* first = static_cast<const unsigned char*>(slot->memory);
    if (byte >= first && byte < first + slot->bytes) return 1;
  }
  return 0;
}
inline unsigned __isLocal(const void* address) {
  const char* byte = static_cast<const char*>(address);
  const char* last = kernelloop_cpu::stack_of(kernelloop_cpu::k_max_threads);
  return byte >= kernelloop_cpu::stacks && byte < last ? 1u : 0u;
}
inline unsigned __isGlobal(const void* address) {
  return __isShared(address) == 0 && __isLocal(address) == 0 ? 1u : 0u;
}
