/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 1024", "kernel": "softmax_warp",
      "grid": ["ceil_div(rows, 8)"], "block": [256], "args": ["x", "y", "rows", "cols"] },
    { "when": "cols % 8 == 0 && cols > 1024 && cols <= 2048", "kernel": "softmax_block_1",
      "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 2048 && cols <= 4096", "kernel": "softmax_block_2",
      "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 4096 && cols <= 8192", "kernel": "softmax_block_4",
      "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 8192 && cols <= 65536", "kernel": "softmax_wide",
      "grid": ["rows"], "block": [512],
      "dynamic_shared_bytes": "max(ceil_div(cols, 4096) * 8192 - 16384, 0)",
      "args": ["x", "y", "cols"] },
    { "when": "cols % 8 != 0 || cols > 65536", "kernel": "softmax_any",
      "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr unsigned kFullMask = 0xffffffffu;

struct Maximum {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static __device__ float identity() { return 0.0f; }
  static __device__ float of(float a, float b) { return a + b; }
};

template <typename Operation>
__device__ float over_warp(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value = Operation::of(value, __shfl_xor_sync(kFullMask, value, offset));
  }
  return value;
}

// Every thread gets the reduction over the block; `partial` belongs to this reduction alone.
template <typename Operation, int kThreads>
__device__ float over_block(float value, float* partial) {
  value = over_warp<Operation>(value);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  return over_warp<Operation>(lane < kThreads / 32 ? partial[lane] : Operation::identity());
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ unsigned packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

__device__ float maximum(unsigned pair) { return fmaxf(lower(pair), upper(pair)); }
__device__ float maximum(const uint4& v) {
  return fmaxf(fmaxf(maximum(v.x), maximum(v.y)), fmaxf(maximum(v.z), maximum(v.w)));
}

__device__ float exponentials(unsigned pair, float largest) {
  return __expf(lower(pair) - largest) + __expf(upper(pair) - largest);
}
__device__ float exponentials(const uint4& v, float largest) {
  return exponentials(v.x, largest) + exponentials(v.y, largest) + exponentials(v.z, largest) +
         exponentials(v.w, largest);
}

// One exponential and no division. The maximum goes first: its sum with the logarithm would lose the
// logarithm where the maximum is large.
__device__ float probability(float x, float largest, float log_sum) {
  return __expf((x - largest) - log_sum);
}
__device__ unsigned result(unsigned pair, float largest, float log_sum) {
  return packed(probability(lower(pair), largest, log_sum),
                probability(upper(pair), largest, log_sum));
}
__device__ uint4 result(const uint4& v, float largest, float log_sum) {
  return make_uint4(result(v.x, largest, log_sum), result(v.y, largest, log_sum),
                    result(v.z, largest, log_sum), result(v.w, largest, log_sum));
}

// Vectors beyond the row are pairs of minus infinity, which add nothing to maximum and sum.
template <int kVectors, int kStride>
__device__ float load(uint4 (&data)[kVectors], const uint4* in, int count, int first) {
  float largest = -INFINITY;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = first + v * kStride;
    data[v] = i < count ? in[i] : make_uint4(0xff80ff80u, 0xff80ff80u, 0xff80ff80u, 0xff80ff80u);
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) largest = fmaxf(largest, maximum(data[v]));
  return largest;
}

template <int kVectors>
__device__ float sum_of(const uint4 (&data)[kVectors], float largest) {
  float sum = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) sum += exponentials(data[v], largest);
  return sum;
}

template <int kVectors, int kStride>
__device__ void store(const uint4 (&data)[kVectors], uint4* out, int count, int first,
                      float largest, float log_sum) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = first + v * kStride;
    if (i < count) out[i] = result(data[v], largest, log_sum);
  }
}

extern "C" __global__ void __launch_bounds__(256)
softmax_warp(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const int count = cols / 8;
  const size_t first = static_cast<size_t>(row) * count;
  uint4 data[4];
  const float largest =
      over_warp<Maximum>(load<4, 32>(data, reinterpret_cast<const uint4*>(x) + first, count, lane));
  const float sum = over_warp<Sum>(sum_of(data, largest));
  store<4, 32>(data, reinterpret_cast<uint4*>(y) + first, count, lane, largest, __logf(sum));
}

template <int kVectors, int kThreads>
__device__ void softmax_row(const __nv_bfloat16* x, __nv_bfloat16* y, int cols) {
  __shared__ float maxima[kThreads / 32];
  __shared__ float sums[kThreads / 32];
  const int count = cols / 8;
  const size_t first = static_cast<size_t>(blockIdx.x) * count;
  uint4 data[kVectors];
  const float largest = over_block<Maximum, kThreads>(
      load<kVectors, kThreads>(data, reinterpret_cast<const uint4*>(x) + first, count, threadIdx.x),
      maxima);
  const float sum = over_block<Sum, kThreads>(sum_of(data, largest), sums);
  store<kVectors, kThreads>(data, reinterpret_cast<uint4*>(y) + first, count, threadIdx.x,
                            largest, __logf(sum));
}

extern "C" __global__ void __launch_bounds__(256)
softmax_block_1(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  softmax_row<1, 256>(x, y, cols);
}
extern "C" __global__ void __launch_bounds__(256)
softmax_block_2(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  softmax_row<2, 256>(x, y, cols);
}
extern "C" __global__ void __launch_bounds__(256)
softmax_block_4(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  softmax_row<4, 256>(x, y, cols);
}
constexpr float kLog2E = 1.4426950408889634f;

// PTX where the version is at home; elsewhere plain C++ stands for its three instructions.

// 2^x by the special function unit alone: results below the normal range become 0.
__device__ float power_of_two(float x) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return exp2f(x);
#endif
}

// 16 bytes to shared memory, past the registers.
__device__ void copy(uint4* to, const uint4* from) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
#else
  *to = *from;
#endif
}
__device__ void close_group() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until at most kLater of this thread's groups are still under way.
template <int kLater>
__device__ void wait_for_groups() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.wait_group %0;" ::"n"(kLater) : "memory");
#endif
}

// A maximum and the sum of the exponentials of the differences from it.
struct Partial {
  float largest = -INFINITY;
  float sum = 0.0f;

  // Minus infinity is no base: a masked part of a row would become NaN.
  static __device__ float base(float largest) { return largest == -INFINITY ? 0.0f : largest; }
  __device__ float seen_from(float other) const {
    return sum * power_of_two((largest - other) * kLog2E);
  }

  __device__ __forceinline__ void add(const uint4& first, const uint4& second) {
    const float next = fmaxf(largest, fmaxf(maximum(first), maximum(second)));
    const float from = base(next);
    sum = seen_from(from) + terms(first, from) + terms(second, from);
    largest = next;
  }
  static __device__ float terms(unsigned pair, float from) {
    return power_of_two((lower(pair) - from) * kLog2E) + power_of_two((upper(pair) - from) * kLog2E);
  }
  static __device__ float terms(const uint4& v, float from) {
    return terms(v.x, from) + terms(v.y, from) + terms(v.z, from) + terms(v.w, from);
  }
  __device__ __forceinline__ Partial over_lanes() const {
    Partial all;
    all.largest = over_warp<Maximum>(largest);
    all.sum = over_warp<Sum>(seen_from(base(all.largest)));
    return all;
  }
};

__device__ unsigned scaled(unsigned pair, float largest, float log2_sum) {
  return packed(power_of_two(fmaf(lower(pair) - largest, kLog2E, -log2_sum)),
                power_of_two(fmaf(upper(pair) - largest, kLog2E, -log2_sum)));
}
__device__ uint4 scaled(const uint4& v, float largest, float log2_sum) {
  return make_uint4(scaled(v.x, largest, log2_sum), scaled(v.y, largest, log2_sum),
                    scaled(v.z, largest, log2_sum), scaled(v.w, largest, log2_sum));
}

// Two vectors of a thread in registers, up to 14 in shared memory, all asked for at once and summed
// in the order in which they come: a row is read once and one barrier joins its threads. A thread
// reads only what it put there itself. What is in shared memory is written first.
constexpr int kWideThreads = 512;
constexpr int kKept = 2;
constexpr int kStaged = 14;

template <int kGroup>
__device__ __forceinline__ void add_staged(Partial& part, const uint4* mine, int count) {
  if constexpr (kGroup < kStaged / 2) {
    const int first = threadIdx.x + (kKept + 2 * kGroup) * kWideThreads;
    wait_for_groups<kStaged / 2 - 1 - kGroup>();
    if (first < count) {
      uint4 second = make_uint4(0xff80ff80u, 0xff80ff80u, 0xff80ff80u, 0xff80ff80u);
      if (first + kWideThreads < count) second = mine[(2 * kGroup + 1) * kWideThreads];
      part.add(mine[2 * kGroup * kWideThreads], second);
    }
    add_staged<kGroup + 1>(part, mine, count);
  }
}

extern "C" __global__ void __launch_bounds__(512, 2)
softmax_wide(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  extern __shared__ uint4 staged[];
  __shared__ float maxima[kWideThreads / 32];
  __shared__ float sums[kWideThreads / 32];
  const int count = cols / 8;
  const size_t row = static_cast<size_t>(blockIdx.x) * count;
  const auto* in = reinterpret_cast<const uint4*>(x) + row;
  auto* out = reinterpret_cast<uint4*>(y) + row;
  uint4* mine = staged + threadIdx.x;

  uint4 data[kKept];
#pragma unroll
  for (int v = 0; v < kKept; ++v) data[v] = in[threadIdx.x + v * kWideThreads];
#pragma unroll
  for (int v = 0; v < kStaged; ++v) {
    const int i = threadIdx.x + (kKept + v) * kWideThreads;
    if (i < count) copy(mine + v * kWideThreads, in + i);
    if (v % 2 == 1) close_group();
  }
  Partial part;
  part.add(data[0], data[1]);
  add_staged<0>(part, mine, count);

  part = part.over_lanes();
  const int lane = threadIdx.x % 32;
  if (lane == 0) {
    maxima[threadIdx.x / 32] = part.largest;
    sums[threadIdx.x / 32] = part.sum;
  }
  __syncthreads();
  part = Partial();
  if (lane < kWideThreads / 32) {
    part.largest = maxima[lane];
    part.sum = sums[lane];
  }
  part = part.over_lanes();
  const float log2_sum = __log2f(part.sum);
#pragma unroll 4
  for (int v = 0; v < kStaged; ++v) {
    const int i = threadIdx.x + (kKept + v) * kWideThreads;
    if (i < count) out[i] = scaled(mine[v * kWideThreads], part.largest, log2_sum);
  }
#pragma unroll
  for (int v = 0; v < kKept; ++v) {
    out[threadIdx.x + v * kWideThreads] = scaled(data[v], part.largest, log2_sum);
  }
}

extern "C" __global__ void __launch_bounds__(256)
softmax_any(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  __shared__ float maxima[8];
  __shared__ float sums[8];
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  x += row;
  y += row;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += 256) largest = fmaxf(largest, __bfloat162float(x[i]));
  largest = over_block<Maximum, 256>(largest, maxima);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 256) sum += __expf(__bfloat162float(x[i]) - largest);
  sum = over_block<Sum, 256>(sum, sums);
  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < cols; i += 256) {
    y[i] = __float2bfloat16_rn(__expf(__bfloat162float(x[i]) - largest) * scale);
  }
}
