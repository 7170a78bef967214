// The harness's own kernels. Built by nvcc and embedded; see cuda_harness.hpp for who calls them.

using Word = unsigned long long;

namespace {

__device__ __forceinline__ Word global_nanoseconds() {
  Word value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}

__device__ __forceinline__ Word mixed(Word value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

}  // namespace

// Holds the stream until the host sets *release, but for `limit` nanoseconds at most: then it says
// so in *expired.
extern "C" __global__ void kernelloop_hold(volatile int* release, volatile int* expired,
                                           Word limit) {
  const Word start = global_nanoseconds();
  while (*release == 0) {
    if (global_nanoseconds() - start > limit) {
      *expired = 1;
      __threadfence_system();
      return;
    }
  }
}

// Both clocks and the multiprocessor: {ns, cycles, multiprocessor}.
extern "C" __global__ void kernelloop_stamp(Word* out) {
  unsigned int multiprocessor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  out[0] = global_nanoseconds();
  out[1] = static_cast<Word>(clock64());
  out[2] = multiprocessor;
}

// Reads everything, so that it pushes all else out of the L2 cache and leaves no dirty lines.
extern "C" __global__ void kernelloop_flush(const uint4* data, Word count, unsigned int* sink) {
  const Word stride = static_cast<Word>(gridDim.x) * blockDim.x;
  unsigned int sum = 0;
  for (Word i = static_cast<Word>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 value = data[i];
    sum ^= value.x ^ value.y ^ value.z ^ value.w;
  }
  if (sum == 0x12345678u) *sink = sum;  // the compiler must not drop the reads
}

// The word at a multiple of 8 bytes from `data`, wherever that lies.
__device__ __forceinline__ Word word_at(const unsigned char* data, Word i) {
  if (reinterpret_cast<Word>(data) % 8 == 0) return reinterpret_cast<const Word*>(data)[i];
  Word word = 0;
  for (Word byte = 0; byte < 8; ++byte) word |= Word{data[i * 8 + byte]} << (8 * byte);
  return word;
}

// Adds a hash of the bytes to *out: every 8-byte word mixed with its place and a seed.
extern "C" __global__ void kernelloop_hash(const unsigned char* data, Word bytes, Word seed,
                                           Word* out) {
  const Word words = bytes / 8;
  const Word stride = static_cast<Word>(gridDim.x) * blockDim.x;
  const Word first = static_cast<Word>(blockIdx.x) * blockDim.x + threadIdx.x;
  Word sum = 0;
  for (Word i = first; i < words; i += stride) {
    sum += mixed(word_at(data, i) ^ mixed(seed + i * 0x9E3779B97F4A7C15ull));
  }
  if (first == 0 && bytes % 8 != 0) {
    Word tail = 0;
    for (Word i = words * 8; i < bytes; ++i) tail = (tail << 8) | data[i];
    sum += mixed(tail ^ mixed(seed + words * 0x9E3779B97F4A7C15ull));
  }
  if (sum != 0) atomicAdd(out, sum);
}

// Numbers without a pattern: constant data would be copied with less power and heat.
extern "C" __global__ void kernelloop_fill(Word* data, Word words) {
  const Word stride = static_cast<Word>(gridDim.x) * blockDim.x;
  for (Word i = static_cast<Word>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += stride) {
    data[i] = mixed(i * 0x9E3779B97F4A7C15ull + 1);
  }
}

// Leaves noise in the shared memory of the multiprocessors and in the memory behind local
// variables, where a kernel could otherwise find what an earlier launch left. Launched with all the
// shared memory that a block can have, by many more blocks than there are multiprocessors.
extern "C" __global__ void kernelloop_scrub(unsigned int words, Word seed, unsigned int* sink) {
  extern __shared__ unsigned int shared[];
  constexpr unsigned int k_local = 256;
  volatile unsigned int local[k_local];
  const Word place = (static_cast<Word>(blockIdx.x) * blockDim.x + threadIdx.x) << 20;
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) {
    shared[i] = static_cast<unsigned int>(mixed(seed + place + i));
  }
  for (unsigned int i = 0; i < k_local; ++i) {
    local[i] = static_cast<unsigned int>(mixed(seed ^ (place + i)));
  }
  __syncthreads();
  // What is read at a place known at run time only has to be in memory.
  const unsigned int i = static_cast<unsigned int>(seed) % k_local;
  if (shared[i % words] == 0x12345678u && local[i] == 0x12345678u) *sink = 1;
}

// Kernels with a fault each that a tool of compute-sanitizer is for: they show that it is awake. No
// fault does harm without the tool. `block` has `bytes` bytes, and nothing has written them.
extern "C" __global__ void kernelloop_planted_memcheck(const unsigned char* block, Word bytes,
                                                       unsigned int* sink) {
  if (threadIdx.x == 0) *sink = block[bytes];  // one too far
}

extern "C" __global__ void kernelloop_planted_racecheck(const unsigned char*, Word,
                                                        unsigned int* sink) {
  __shared__ volatile unsigned int word;
  word = threadIdx.x;  // all threads at once
  __syncthreads();
  sink[threadIdx.x] = word;
}

extern "C" __global__ void kernelloop_planted_initcheck(const unsigned char* block, Word,
                                                        unsigned int* sink) {
  sink[threadIdx.x] = block[threadIdx.x];
}

extern "C" __global__ void kernelloop_planted_synccheck(const unsigned char*, Word,
                                                        unsigned int* sink) {
  if (threadIdx.x < 48) __syncthreads();  // half of a warp stays away
  sink[threadIdx.x] = 1;
}
