// Marks what a kernel does over time, for the traced build of a version (docs/looking-closer.md).
//
//   #include <kernelloop/trace.cuh>
//   ...
//   { KL_TRACE_SCOPE("load"); ... }                     // to the end of the enclosing block
//   KL_TRACE_BEGIN("mma"); ... KL_TRACE_END("mma");     // where no block fits
//   KL_TRACE_INSTANT("tile");                           // a point in time
//
// Costs nothing unless KERNELLOOP_TRACE is defined: the macros then only check their argument. The
// traced build is never timed, verified or adopted. Names are string literals of letters, digits
// and "_-.:/ ", at most 48 long. Lane 0 of each warp speaks for its warp: a mark that lane 0 does
// not reach is not recorded. Kernels need no set-up: the build adds the scope of the whole kernel.
#pragma once

#include <kernelloop/trace_records.cuh>

namespace kernelloop::trace {

// Whether a mark may be called so.
KERNELLOOP_TRACE_CONSTEXPR bool is_name(const char* name) {
  int length = 0;
  for (; name[length] != '\0'; ++length) {
    const char c = name[length];
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && c != '_' && c != '-' && c != '.' && c != ':' && c != '/' && c != ' ') return false;
  }
  return length > 0 && length <= 48;
}

}  // namespace kernelloop::trace

#define KERNELLOOP_TRACE_CHECK(name)                \
  static_assert(::kernelloop::trace::is_name(name), \
                "a trace name is 1 to 48 letters, digits, blanks or _-.:/")

#ifndef KERNELLOOP_TRACE

#define KL_TRACE_SCOPE(name) KERNELLOOP_TRACE_CHECK(name)
#define KL_TRACE_BEGIN(name) KERNELLOOP_TRACE_CHECK(name)
#define KL_TRACE_END(name) KERNELLOOP_TRACE_CHECK(name)
#define KL_TRACE_INSTANT(name) KERNELLOOP_TRACE_CHECK(name)

#else

// The build says 1 where no launch of the plan has a second dimension, neither of blocks nor of
// threads: the indices need not be put together then, which is half of what an unmarked block does.
#ifndef KERNELLOOP_TRACE_FLAT
#define KERNELLOOP_TRACE_FLAT 0
#endif

extern "C" {
__constant__ kernelloop::trace::Target kernelloop_trace_target;
}

namespace kernelloop::trace {

// The clobber keeps the loads and stores of a scope inside it.
__device__ __forceinline__ unsigned int clock_now() {
  unsigned int value;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(value)::"memory");
  return value;
}

__device__ __forceinline__ Anchor anchor_now() {
  Anchor anchor;
  asm volatile("mov.u64 %0, %%globaltimer;\n\tmov.u64 %1, %%clock64;"
               : "=l"(anchor.ns), "=l"(anchor.clock)::"memory");
  return anchor;
}

template <typename T>
__device__ __forceinline__ void store(unsigned long long array, unsigned int index, T value) {
  static_assert(sizeof(T) == 16);
  const auto words = __builtin_bit_cast(ulonglong2, value);
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(array + index * 16ull), "l"(words.x),
               "l"(words.y)
               : "memory");
}

// The slot of a block where this launch records.
__device__ __forceinline__ MarkSlot slot_of(unsigned int block) {
  const Target& target = kernelloop_trace_target;
  MarkSlot slot = mark_slot(target, block);
  slot.there = slot.there & (target.on != 0);
  return slot;
}

__device__ __forceinline__ unsigned int block_index() {
  if constexpr (KERNELLOOP_TRACE_FLAT) return blockIdx.x;
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ __forceinline__ unsigned int thread_index() {
  if constexpr (KERNELLOOP_TRACE_FLAT) return threadIdx.x;
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
// Volatile: read where they are needed, so that the compiler keeps no registers for them.
__device__ __forceinline__ unsigned int block_index_again() {
  unsigned int x, y, z;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  if constexpr (KERNELLOOP_TRACE_FLAT) return x;
  asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  return x + gridDim.x * (y + gridDim.y * z);
}
__device__ __forceinline__ unsigned int thread_index_again() {
  unsigned int x, y, z;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
  if constexpr (KERNELLOOP_TRACE_FLAT) return x;
  asm volatile("mov.u32 %0, %%tid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%tid.z;" : "=r"(z));
  return x + blockDim.x * (y + blockDim.y * z);
}

// How many marks each warp has left; the scope of the kernel begins it at 0 in marked blocks. Lane
// 0 speaks for its warp, and the others have a place where their counting does not matter.
__device__ __forceinline__ unsigned int& count_of(unsigned int thread) {
  __shared__ unsigned int counts[33];
  return counts[thread % 32 == 0 ? thread / 32 : 32];
}

__device__ __forceinline__ void mark(unsigned int tag) {
  const Target& target = kernelloop_trace_target;
  // The compiler keeps this from mark to mark. It is the same for all threads of the block: where
  // that is not marked, a mark is a branch.
  const MarkSlot slot = slot_of(block_index());
  if (!slot.there) return;
  const unsigned int time = clock_now();
  // This too may be kept: reading the three indices again takes longer than all the rest.
  const unsigned int thread = thread_index();
  const unsigned int before = count_of(thread);
  count_of(thread) = before + 1;
  const bool room = before < target.capacity;
  const unsigned int place = (slot.index * target.warps + thread / 32) * (target.capacity + 1) +
                             (room ? before : target.capacity);
  // One instruction that lane 0 alone executes: a branch would cost as much as the rest.
  asm volatile(
      "{\n\t.reg .pred leads;\n\tsetp.eq.u32 leads, %0, 0;\n\t"
      "@leads st.global.v2.u32 [%1], {%2, %3};\n\t}" ::"r"(thread % 32),
      "l"(target.marks + place * 8ull), "r"(room ? tag : before + 1), "r"(time)
      : "memory");
}

template <unsigned int Id>
struct Scope {
  template <typename Name>
  __device__ __forceinline__ explicit Scope(Name say_name) {
    say_name();
    mark(Id << 2 | k_begin);
  }
  __device__ __forceinline__ ~Scope() { mark(Id << 2 | k_end); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

// The scope of a whole kernel. Between begin and end it holds a register and two predicates.
class Kernel {
 public:
  __device__ __forceinline__ Kernel()
      : begin_(clock_now()),
        marked_(slot_of(block_index()).there),
        every_((kernelloop_trace_target.on & kernelloop_trace_target.every_life) != 0) {
    if (marked_) write(false);
  }
  __device__ __forceinline__ ~Kernel() {
    if (marked_ | every_) write(true);
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

 private:
  __device__ __forceinline__ void write(bool ended) const {
    const Target& target = kernelloop_trace_target;
    const unsigned int thread = thread_index_again();
    if (thread % 32 != 0) return;
    const unsigned int block = block_index_again();
    const MarkSlot slot = slot_of(block);
    const unsigned int place = every_ ? block : slot.index;
    unsigned int multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    unsigned long long now = 0;
    if (ended) asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    store(target.lives, place * target.warps + thread / 32, Life{now, begin_, multiprocessor + 1});
    if (!ended) count_of(thread) = 0;
    if (marked_ & (thread == 0)) store(target.anchors, 2 * slot.index + ended, anchor_now());
  }

  unsigned int begin_;
  bool marked_;
  bool every_;
};

}  // namespace kernelloop::trace

// The name stands in the PTX as a comment.
#define KERNELLOOP_TRACE_NAME(name) \
  KERNELLOOP_TRACE_CHECK(name);     \
  asm volatile("// kernelloop:trace \"" name "\"")
#define KERNELLOOP_TRACE_JOIN2(a, b) a##b
#define KERNELLOOP_TRACE_JOIN(a, b) KERNELLOOP_TRACE_JOIN2(a, b)

// Each mark is one statement, so that it may stand behind an `if` without braces.
#define KERNELLOOP_TRACE_MARK(name, kind)                                      \
  do {                                                                         \
    KERNELLOOP_TRACE_NAME(name);                                               \
    ::kernelloop::trace::mark(::kernelloop::trace::id_of(name) << 2 | (kind)); \
  } while (false)

#define KL_TRACE_SCOPE(name)                                                                \
  const ::kernelloop::trace::Scope<::kernelloop::trace::id_of(name)> KERNELLOOP_TRACE_JOIN( \
      kernelloop_trace_scope_, __COUNTER__)([] { KERNELLOOP_TRACE_NAME(name); })
#define KL_TRACE_BEGIN(name) KERNELLOOP_TRACE_MARK(name, ::kernelloop::trace::k_begin)
#define KL_TRACE_END(name) KERNELLOOP_TRACE_MARK(name, ::kernelloop::trace::k_end)
#define KL_TRACE_INSTANT(name) KERNELLOOP_TRACE_MARK(name, ::kernelloop::trace::k_instant)

// The scope of a whole kernel, put behind its opening brace by the traced build.
#define KERNELLOOP_TRACE_KERNEL                   \
  asm volatile("// kernelloop:trace \"kernel\""); \
  const ::kernelloop::trace::Kernel kernelloop_trace_kernel;

#endif
