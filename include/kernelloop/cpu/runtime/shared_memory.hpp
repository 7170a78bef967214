// __shared__ variables. Blocks run one after the other, so each variable has one place for good.
//
// A static variable's place is a heap block of its own: AddressSanitizer then guards both its ends,
// in templates too. Dynamic shared memory is one area whose unused rest is poisoned.
#pragma once

#include "scheduler.hpp"
#include <stdlib.h>
#include <string.h>

namespace kernelloop_cpu {

struct SharedSlot {
  void* memory;
  size_t bytes;
  unsigned launch;  // the last launch that used it
  SharedSlot* next;
};
inline SharedSlot* shared_slots;

constexpr size_t k_dynamic_margin = 1024;
alignas(1024) inline unsigned char dynamic_area[k_dynamic_margin + k_max_shared_bytes +
                                                k_dynamic_margin];
inline unsigned char* dynamic_memory() { return dynamic_area + k_dynamic_margin; }

template <typename Holder>
inline SharedSlot shared_slot;

// The place of the variable that `Holder` holds; made at its first use.
template <typename Holder>
Holder& shared_variable() {
  SharedSlot& slot = shared_slot<Holder>;
  if (slot.memory == nullptr) {
    constexpr size_t alignment = alignof(Holder) < 16 ? 16 : alignof(Holder);
    if (posix_memalign(&slot.memory, alignment, sizeof(Holder)) != 0) abort();
    memset(slot.memory, 0xFF, sizeof(Holder));
    slot.bytes = sizeof(Holder);
    slot.next = shared_slots;
    shared_slots = &slot;
  }
  return *static_cast<Holder*>(slot.memory);
}

// Counts the variable among those of the kernel that runs.
template <typename Holder>
inline void use_shared(Site site) {
  SharedSlot& slot = shared_slot<Holder>;
  if (__builtin_expect(slot.launch == state.launch, 1)) return;
  slot.launch = state.launch;
  state.static_shared_bytes += slot.bytes;
  if (state.static_shared_bytes > k_max_static_shared_bytes) {
    stop_at(KERNELLOOP_CPU_LIMIT, site,
            "%zu bytes of static shared memory; a kernel can have %zu, more must be dynamic",
            state.static_shared_bytes, k_max_static_shared_bytes);
  }
  if (state.static_shared_bytes + state.dynamic_shared_bytes > k_max_shared_bytes) {
    stop_at(KERNELLOOP_CPU_LIMIT, site,
            "%zu bytes of static and %zu of dynamic shared memory; a block can have %zu in all",
            state.static_shared_bytes, state.dynamic_shared_bytes, k_max_shared_bytes);
  }
}

template <typename Array>
struct DynamicArray;
template <typename Element, size_t N>
struct DynamicArray<Element[N]> {
  using Unbounded = Element[];
  static Unbounded& get() { return *reinterpret_cast<Unbounded*>(dynamic_memory()); }
};
// `Array` is the variable's type with 1 for its missing bound.
template <typename Array>
auto& dynamic_shared() {
  return DynamicArray<Array>::get();
}

// Only the bytes that the launch asked for may be touched.
inline void fence_dynamic_memory() {
#ifdef KERNELLOOP_CPU_ASAN
  const size_t used = state.dynamic_shared_bytes;
  __asan_poison_memory_region(dynamic_area, sizeof dynamic_area);
  __asan_unpoison_memory_region(dynamic_memory(), used);
#endif
}

// What a block finds in shared memory is whatever was there: NaN shows that soonest.
inline void poison_shared_memory() {
  for (SharedSlot* slot = shared_slots; slot != nullptr; slot = slot->next) {
    memset(slot->memory, 0xFF, slot->bytes);
  }
  if (state.dynamic_shared_bytes != 0) {
    memset(dynamic_memory(), 0xFF, state.dynamic_shared_bytes);
  }
}

}  // namespace kernelloop_cpu
