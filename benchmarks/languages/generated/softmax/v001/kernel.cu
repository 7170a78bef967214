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
      "grid": ["rows"], "block": [512], "dynamic_shared_bytes": "max(cols * 2 - 32768, 0)",
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
// The first 16384 columns in registers, the rest in shared memory. A thread reads only what it put
// there itself, so that no barrier is needed.
extern "C" __global__ void __launch_bounds__(512, 2)
softmax_wide(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  extern __shared__ uint4 staged[];
  __shared__ float maxima[16];
  __shared__ float sums[16];
  constexpr int kKept = 2048;  // vectors in registers
  const int count = cols / 8;
  const size_t first = static_cast<size_t>(blockIdx.x) * count;
  const auto* in = reinterpret_cast<const uint4*>(x) + first;
  auto* out = reinterpret_cast<uint4*>(y) + first;

  uint4 data[4];
  float largest = load<4, 512>(data, in, count, threadIdx.x);
#pragma unroll 4
  for (int i = threadIdx.x + kKept; i < count; i += 512) {
    const uint4 v = in[i];
    staged[i - kKept] = v;
    largest = fmaxf(largest, maximum(v));
  }
  largest = over_block<Maximum, 512>(largest, maxima);
  float sum = sum_of(data, largest);
  for (int i = threadIdx.x + kKept; i < count; i += 512) sum += exponentials(staged[i - kKept], largest);
  sum = over_block<Sum, 512>(sum, sums);
  const float log_sum = __logf(sum);
  store<4, 512>(data, out, count, threadIdx.x, largest, log_sum);
  for (int i = threadIdx.x + kKept; i < count; i += 512) {
    out[i] = result(staged[i - kKept], largest, log_sum);
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
