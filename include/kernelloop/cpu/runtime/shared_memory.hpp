// __shared__ variables. One block runs at a time, so each variable has one place for good; what a
// block that has been left holds there is kept elsewhere (residents.hpp).
//
// Every place is known when the module is linked: the references that stand for the variables are
// constants, and a module that has variables of its own shows them. Margins on both sides of a
// static variable are poisoned, as is the unused rest of the one area of dynamic memory.
#pragma once

#include "scheduler.hpp"

namespace kernelloop_cpu {

constexpr size_t k_shared_margin = 1024;

struct SharedSlot {
  void* memory;
  size_t bytes;
  unsigned launch;    // the last launch that used it
  uint32_t kept_for;  // blocks that have been left after it got its place: one bit each
  SharedSlot* next;
};
inline SharedSlot* shared_slots;

alignas(
    1024) inline unsigned char dynamic_area[k_shared_margin + k_max_shared_bytes + k_shared_margin];
inline unsigned char* dynamic_memory() { return dynamic_area + k_shared_margin; }

// The place of the variable that `Holder` holds.
template <typename Holder>
struct SharedStorage {
  unsigned char front[k_shared_margin];
  alignas(alignof(Holder) < 16 ? 16 : alignof(Holder)) unsigned char bytes[sizeof(Holder)];
  unsigned char back[k_shared_margin];
};
template <typename Holder>
inline SharedStorage<Holder> shared_storage;
template <typename Holder>
inline SharedSlot shared_slot;

// What a block finds in shared memory is whatever was there. 0xFF in every byte is NaN, which shows
// soonest; noise shows where NaN and -1 are lost, as in a maximum. A version that defines functions
// of the C library cannot change this: the compiler's own names do not mean those.
inline void poison(void* memory, size_t bytes) {
  if (state.noise == 0) {
    __builtin_memset(memory, 0xFF, bytes);
    return;
  }
  uint64_t* at = static_cast<uint64_t*>(memory);  // every place is aligned to 16 bytes
  for (; bytes >= sizeof *at; bytes -= sizeof *at) *at++ = draw(state.noise);
  const uint64_t rest = draw(state.noise);
  __builtin_memcpy(at, &rest, bytes);
}

// The variable gets poison at the start of every block from now on.
template <typename Holder>
inline void register_shared() {
  SharedSlot& slot = shared_slot<Holder>;
  if (slot.memory != nullptr) return;
  SharedStorage<Holder>& storage = shared_storage<Holder>;
#ifdef KERNELLOOP_CPU_ASAN
  __asan_poison_memory_region(storage.front, sizeof storage.front);
  __asan_poison_memory_region(
      storage.bytes + sizeof storage.bytes,
      sizeof storage - offsetof(SharedStorage<Holder>, bytes) - sizeof storage.bytes);
#endif
  poison(storage.bytes, sizeof storage.bytes);
  slot.memory = storage.bytes;
  slot.bytes = sizeof storage.bytes;
  slot.next = shared_slots;
  shared_slots = &slot;
}

// Counts the variable among those of the kernel that runs.
template <typename Holder>
inline void use_shared(Site site) {
  SharedSlot& slot = shared_slot<Holder>;
  if (__builtin_expect(slot.launch == state.launch, 1)) return;
  register_shared<Holder>();
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

// The type of `extern __shared__ T x[]`, given with 1 for its missing bound.
template <typename Array>
struct WithoutBound;
template <typename Element, size_t N>
struct WithoutBound<Element[N]> {
  using Type = Element[];
};

// Only the bytes that the launch asked for may be touched.
inline void fence_dynamic_memory() {
#ifdef KERNELLOOP_CPU_ASAN
  const size_t used = state.dynamic_shared_bytes;
  __asan_poison_memory_region(dynamic_area, sizeof dynamic_area);
  __asan_unpoison_memory_region(dynamic_memory(), used);
#endif
}

inline void poison_shared_memory() {
  for (SharedSlot* slot = shared_slots; slot != nullptr; slot = slot->next) {
    poison(slot->memory, slot->bytes);
  }
  poison(dynamic_memory(), state.dynamic_shared_bytes);
}

}  // namespace kernelloop_cpu
