// What a traced kernel is told and what it writes: trace.cuh writes it, tools/trace reads it.
#pragma once

#ifdef __CUDACC__
#define KERNELLOOP_TRACE_CONSTEXPR __host__ __device__ constexpr
#else
#define KERNELLOOP_TRACE_CONSTEXPR constexpr
#endif

namespace kernelloop::trace {

// What stands for a name in a record: 30 bits of FNV-1a. The decoder finds the names in the PTX and
// refuses two with the same number.
KERNELLOOP_TRACE_CONSTEXPR unsigned int id_of(const char* name) {
  unsigned int hash = 2166136261u;
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619u;
  return (hash ^ (hash >> 30)) & 0x3FFFFFFFu;
}

// Set by the harness before each launch; zeros record nothing. Marked blocks are the first `first`
// and one in 2^shift of the others: they leave Anchors and, for each warp, `capacity` marks and one
// Record more, which tells in `tag` how many marks there were when they found no room. Each warp
// leaves a Life: of every block, or only of the marked ones where `every_life` is 0.
struct Target {
  unsigned long long lives;  // addresses of the arrays
  unsigned long long anchors;
  unsigned long long marks;
  unsigned int on;
  unsigned int every_life;
  unsigned int first;
  unsigned int shift;
  unsigned int warps;     // of a block
  unsigned int capacity;  // the array of marks has less than 2^32 records
  unsigned int reserved[2];
};

// Of a warp. In marked blocks it is there from the begin, without an end.
struct alignas(16) Life {
  unsigned long long end_clock;  // %clock64; 0: the end was not reached
  unsigned int begin_clock;      // low half
  unsigned int multiprocessor;   // its number + 1; 0: nothing was recorded
};

// Both clocks of a multiprocessor, read next to each other.
struct alignas(16) Anchor {
  unsigned long long ns;     // %globaltimer; 0: none
  unsigned long long clock;  // %clock64
};

// By the first thread of a block.
struct Anchors {
  Anchor begin;
  Anchor end;
};

struct Record {
  unsigned int tag;   // id << 2 | kind; 0: none
  unsigned int time;  // low half of %clock64
};

inline constexpr unsigned int k_begin = 1;
inline constexpr unsigned int k_end = 2;
inline constexpr unsigned int k_instant = 3;

// One of each group of 2^shift neighbours is picked, in each group at another place: with a fixed
// distance the picks could all fall to a few multiprocessors.
KERNELLOOP_TRACE_CONSTEXPR unsigned int pick_of_group(unsigned int group, unsigned int shift) {
  const unsigned long long place = static_cast<unsigned long long>(group * 2654435769u) << shift;
  return (group << shift) + static_cast<unsigned int>(place >> 32);
}

struct MarkSlot {
  unsigned int index;
  bool there;
};

// Whether a block is a marked one, and where its marks are.
KERNELLOOP_TRACE_CONSTEXPR MarkSlot mark_slot(const Target& target, unsigned int block) {
  const unsigned int group = block >> target.shift;
  const bool leads = block < target.first;
  const bool picked = pick_of_group(group, target.shift) == block;
  // No short cuts: a branch costs more than the rest.
  const bool there = static_cast<bool>(leads | picked);
  return {leads ? block : target.first + group, there};
}

}  // namespace kernelloop::trace
