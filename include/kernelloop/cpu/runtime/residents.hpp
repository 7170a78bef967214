// Blocks that are resident at the same time.
//
// In order, a block runs to its end before the next starts. Under a random schedule the blocks of a
// launch form groups of k_residents that follow one another; within a group they start in an order
// drawn at random, and one whose threads all only spin is left for the others and taken up again
// when they have ended or wait too. So a block may wait for any of its group and of those before
// it, as on a GPU that holds so many at a time. A few blocks of later groups, drawn at random,
// start before all others: one that takes it for granted that earlier blocks have ended finds that
// they have not, however far apart they are; one that waits for them is left until they have. One
// block runs at a time all the same: a place keeps the threads, with their stacks, and the shared
// memory of a block that has been left.
#pragma once

#include "shared_memory.hpp"

namespace kernelloop_cpu {

constexpr unsigned k_residents = 16;
constexpr unsigned k_early = 4;  // blocks at most that start before those of the first group
constexpr unsigned k_places = k_residents + k_early;

struct Place {
  State kept;  // of its block and fibers, while another place is entered
  uint3 block;
  char* stacks;
  unsigned primed_threads;
  bool left;   // by a block that has not ended
  bool early;  // which started before its group
  unsigned char shared[k_max_shared_bytes];
};
inline Place places[k_places];
inline unsigned current_place;
inline unsigned primed_threads;  // of the current place: fibers that stand ready to run

// Static variables that nobody has used since the launch began hold poison only.
inline void keep_shared_memory(unsigned number) {
  unsigned char* to = places[number].shared;
  const uint32_t bit = 1u << number;
  for (SharedSlot* slot = shared_slots; slot != nullptr; slot = slot->next) {
    slot->kept_for &= ~bit;
    if (slot->launch != state.launch) continue;
    slot->kept_for |= bit;
    __builtin_memcpy(to, slot->memory, slot->bytes);
    to += slot->bytes;
  }
  __builtin_memcpy(to, dynamic_memory(), state.dynamic_shared_bytes);
}

inline void restore_shared_memory(unsigned number) {
  const unsigned char* from = places[number].shared;
  for (SharedSlot* slot = shared_slots; slot != nullptr; slot = slot->next) {
    if ((slot->kept_for & (1u << number)) == 0) {
      poison(slot->memory, slot->bytes);
      continue;
    }
    __builtin_memcpy(slot->memory, from, slot->bytes);
    from += slot->bytes;
  }
  __builtin_memcpy(dynamic_memory(), from, state.dynamic_shared_bytes);
}

// Exchanges the fibers and what belongs to a block; what belongs to the launch stays.
inline void enter_place(unsigned number) {
  if (number == current_place) return;
  Place& from = places[current_place];
  Place& to = places[number];
  __builtin_memcpy(&from.kept, &state, sizeof state);
  from.stacks = stacks;
  from.primed_threads = primed_threads;
  stacks = to.stacks;
  primed_threads = to.primed_threads;
  current_place = number;
  if (!to.left) {
    for (unsigned i = 0; i < primed_threads; ++i) {
      state.threads[i].fiber = to.kept.threads[i].fiber;
      state.threads[i].fake_stack = to.kept.threads[i].fake_stack;
    }
    return;
  }
  const size_t used = state.static_shared_bytes;
  __builtin_memcpy(&state, &to.kept, sizeof state);
  state.static_shared_bytes = used;
}

// A place whose last block has ended. True when it is another than before.
inline bool enter_free_place() {
  const unsigned before = current_place;
  for (unsigned i = 0; i < k_places && places[current_place].left; ++i) {
    if (!places[i].left) enter_place(i);
  }
  return current_place != before;
}

// Lets the current block run until it ends, is left or is stopped.
inline void run_on() {
  Place& place = places[current_place];
  residence.left = false;
  place.left = false;
  state.current = &state.main;
  run_next();
  if (state.status != KERNELLOOP_CPU_OK) return;
  if (residence.left) {
    place.left = true;
    place.block = blockIdx;
    keep_shared_memory(current_place);
  } else {
    --residence.blocks;
    if (place.early) --residence.early;
  }
}

// Takes up the blocks that have been left, by turns, until all have ended, or all but early ones
// while groups are still to come. Without any that ends in many turns they wait for what will not
// come.
inline void finish_blocks_left(bool last_group) {
  unsigned fruitless = 0;
  // Early blocks wait for groups to come: alone, they would wait in vain.
  const auto done = [&] { return residence.blocks <= (last_group ? 0 : residence.early); };
  while (!done()) {
    const unsigned before = residence.blocks;
    for (unsigned i = 0; i < k_places && !done(); ++i) {
      if (!places[i].left) continue;
      enter_place(i);
      restore_shared_memory(i);
      blockIdx = places[i].block;
      state.idle_rounds = 0;
      run_on();
      if (state.status != KERNELLOOP_CPU_OK) return;
    }
    fruitless = residence.blocks == before ? fruitless + 1 : 0;
    residence.stuck = fruitless > 512;
  }
}

// After a launch that was stopped in its midst: no fiber is entered again.
inline void abandon_threads() {
  places[current_place].stacks = stacks;
  places[current_place].primed_threads = primed_threads;
  for (Place& place : places) {
#ifdef KERNELLOOP_CPU_ASAN
    constexpr size_t each = k_stack_bytes + k_guard_bytes;
    for (unsigned i = 0; i < place.primed_threads; ++i) {
      __asan_unpoison_memory_region(place.stacks + i * each, k_stack_bytes);
    }
#endif
    place.primed_threads = 0;
    place.left = false;
  }
  primed_threads = 0;
}

}  // namespace kernelloop_cpu
