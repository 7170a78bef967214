// Marks what a kernel does over time, for the traced build of a version (docs/looking-closer.md).
//
//   #include <kernelloop/trace.cuh>
//   ...
//   { KL_TRACE_SCOPE("load"); ... }                     // to the end of the enclosing block
//   KL_TRACE_BEGIN("mma"); ... KL_TRACE_END("mma");     // where no block fits
//   KL_TRACE_INSTANT("tile");                           // a point in time
//
// Costs nothing unless KERNELLOOP_TRACE is defined: the macros then only check their argument. The
// traced build is never timed, verified or adopted. Names are string literals of letters, digits and
// "_-.:/ ", at most 48 long. Lane 0 of each warp speaks for its warp: a mark that lane 0 does not
// reach is not recorded. Kernels need no set-up: the build adds the scope of the whole kernel.
#pragma once

#ifdef __CUDACC__
#define KERNELLOOP_TRACE_CONSTEXPR __host__ __device__ constexpr
#else
#define KERNELLOOP_TRACE_CONSTEXPR constexpr
#endif

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

// What stands for a name in a record: 30 bits of FNV-1a. The decoder finds the names in the PTX and
// refuses two with the same number.
KERNELLOOP_TRACE_CONSTEXPR unsigned int id_of(const char* name) {
  unsigned int hash = 2166136261u;
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619u;
  return (hash ^ (hash >> 30)) & 0x3FFFFFFFu;
}

}  // namespace kernelloop::trace

#define KERNELLOOP_TRACE_CHECK(name)                 \
  static_assert(::kernelloop::trace::is_name(name),  \
                "a trace name is 1 to 48 letters, digits, blanks or _-.:/")

#ifndef KERNELLOOP_TRACE

#define KL_TRACE_SCOPE(name) KERNELLOOP_TRACE_CHECK(name)
#define KL_TRACE_BEGIN(name) KERNELLOOP_TRACE_CHECK(name)
#define KL_TRACE_END(name) KERNELLOOP_TRACE_CHECK(name)
#define KL_TRACE_INSTANT(name) KERNELLOOP_TRACE_CHECK(name)

#else

namespace kernelloop::trace {

// Set by the harness before each launch. What is not set records nothing.
struct Target {
  unsigned long long regions;  // address of the first warp's region; 0: off
  unsigned int capacity;       // records of a region
  unsigned int stride;         // every stride-th block is traced
  unsigned int blocks;         // traced blocks, by which regions end
  unsigned int nonce;          // another one in every launch
};

// The head of a region, as tools/trace reads it; `capacity` records of 8 bytes follow.
struct Region {
  unsigned int multiprocessor;
  unsigned int events;              // all of them, kept or not
  unsigned long long begin_ns;      // %globaltimer at the first event
  unsigned long long begin_clock;   // %clock64 there
  unsigned long long end_ns;        // the same at the end of the kernel's own scope; 0: not reached
  unsigned long long end_clock;
  unsigned int block;
  unsigned int warp;
  unsigned long long reserved[2];
};
static_assert(sizeof(Region) == 64, "tools/trace reads it by these offsets");

struct Record {
  unsigned int tag;   // id << 2 | kind
  unsigned int time;  // low half of %clock64
};

// Of a warp, in shared memory, which nobody sets to zero: it is valid when the key is right.
struct alignas(16) State {
  unsigned long long region;  // 0: the block is not traced
  unsigned int key;
  unsigned int events;
};

inline constexpr unsigned int k_begin = 0;
inline constexpr unsigned int k_end = 1;
inline constexpr unsigned int k_instant = 2;

}  // namespace kernelloop::trace

extern "C" {
__constant__ kernelloop::trace::Target kernelloop_trace_target;
}

namespace kernelloop::trace {

__device__ __forceinline__ unsigned int clock_now() {
  unsigned int value;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(value)::"memory");
  return value;
}

// Both clocks of this multiprocessor, read next to each other.
__device__ __forceinline__ void anchor(unsigned long long& ns, unsigned long long& cycles) {
  asm volatile("mov.u64 %0, %%globaltimer;\n\tmov.u64 %1, %%clock64;"
               : "=l"(ns), "=l"(cycles)::"memory");
}

__device__ __forceinline__ State& state_of(unsigned int warp) {
  __shared__ State states[32];
  return states[warp];
}

// The first event of a warp: finds its region and fills in the head.
__device__ __forceinline__ State enter(const Target& target, unsigned int block, unsigned int warp,
                                       unsigned int key) {
  const unsigned int traced = block / target.stride;
  if (block % target.stride != 0 || traced >= target.blocks) return {0, key, 0};
  const unsigned int warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
  const unsigned long long bytes = sizeof(Region) + sizeof(Record) * target.capacity;
  const unsigned long long address =
      target.regions + (static_cast<unsigned long long>(traced) * warps + warp) * bytes;
  auto* region = reinterpret_cast<Region*>(address);
  unsigned int multiprocessor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  region->multiprocessor = multiprocessor;
  region->block = block;
  region->warp = warp;
  anchor(region->begin_ns, region->begin_clock);
  return {address, key, 0};
}

__device__ __forceinline__ void record(unsigned int tag, bool kernel) {
  const Target& target = kernelloop_trace_target;
  const unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (thread % 32 != 0 || target.regions == 0) return;
  const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned int warp = thread / 32;
  // Tells what this block of this launch left in shared memory from what others did.
  const unsigned int key = target.nonce ^ (block * 2654435761u);
  State state = state_of(warp);
  if (state.key != key) state = enter(target, block, warp, key);
  if (state.region != 0) {
    const unsigned int time = clock_now();
    auto* region = reinterpret_cast<Region*>(state.region);
    if (state.events < target.capacity) {
      reinterpret_cast<uint2*>(region + 1)[state.events] = make_uint2(tag, time);
    }
    region->events = ++state.events;
    if (kernel && tag % 4 == k_end) anchor(region->end_ns, region->end_clock);
  }
  state_of(warp) = state;
}

template <unsigned int Id, bool Kernel = false>
struct Scope {
  __device__ __forceinline__ Scope() { record(Id << 2 | k_begin, Kernel); }
  __device__ __forceinline__ ~Scope() { record(Id << 2 | k_end, Kernel); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

}  // namespace kernelloop::trace

// The name stands in the PTX as a comment.
#define KERNELLOOP_TRACE_NAME(name) \
  KERNELLOOP_TRACE_CHECK(name);     \
  asm volatile("// kernelloop:trace \"" name "\"")
#define KERNELLOOP_TRACE_JOIN2(a, b) a##b
#define KERNELLOOP_TRACE_JOIN(a, b) KERNELLOOP_TRACE_JOIN2(a, b)
#define KERNELLOOP_TRACE_RECORD(name, kind) \
  ::kernelloop::trace::record(::kernelloop::trace::id_of(name) << 2 | (kind), false)

#define KL_TRACE_SCOPE(name)                                          \
  KERNELLOOP_TRACE_NAME(name);                                        \
  const ::kernelloop::trace::Scope<::kernelloop::trace::id_of(name)>  \
  KERNELLOOP_TRACE_JOIN(kernelloop_trace_scope_, __COUNTER__)
#define KL_TRACE_BEGIN(name)   \
  KERNELLOOP_TRACE_NAME(name); \
  KERNELLOOP_TRACE_RECORD(name, ::kernelloop::trace::k_begin)
#define KL_TRACE_END(name)     \
  KERNELLOOP_TRACE_NAME(name); \
  KERNELLOOP_TRACE_RECORD(name, ::kernelloop::trace::k_end)
#define KL_TRACE_INSTANT(name) \
  KERNELLOOP_TRACE_NAME(name); \
  KERNELLOOP_TRACE_RECORD(name, ::kernelloop::trace::k_instant)

// The scope of a whole kernel, put behind its opening brace by the traced build.
#define KERNELLOOP_TRACE_KERNEL                                                     \
  asm volatile("// kernelloop:trace \"kernel\"");                                  \
  const ::kernelloop::trace::Scope<::kernelloop::trace::id_of("kernel"), true>      \
      kernelloop_trace_kernel;

#endif
