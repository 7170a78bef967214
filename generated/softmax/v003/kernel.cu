/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 8192", "kernel": "softmax_registers",
      "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] },
    { "when": "cols % 8 != 0 || cols > 8192", "kernel": "softmax_any",
      "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr int kThreads = 256;
constexpr int kVectors = 4;  // 16-byte vectors a thread keeps
constexpr unsigned kFullMask = 0xffffffffu;

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Every thread gets the reduction over the block. `partial` must not be in use by another reduction.
template <typename Operation>
__device__ float reduce_over_block(float value, float identity, Operation operation, float* partial) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = operation(value, __shfl_xor_sync(kFullMask, value, offset));
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = identity;
  for (int warp = 0; warp < kThreads / 32; ++warp) value = operation(value, partial[warp]);
  return value;
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ unsigned packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

extern "C" __global__ void __launch_bounds__(kThreads)
softmax_registers(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  __shared__ float maxima[kThreads / 32];
  __shared__ float sums[kThreads / 32];
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  const auto* in = reinterpret_cast<const uint4*>(x + row);
  auto* out = reinterpret_cast<uint4*>(y + row);
  const int count = cols / 8;

  uint4 data[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = threadIdx.x + v * kThreads;
    // Pairs of minus infinity add nothing to maximum and sum.
    data[v] = i < count ? in[i] : make_uint4(0xff80ff80u, 0xff80ff80u, 0xff80ff80u, 0xff80ff80u);
  }

  float largest = -INFINITY;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    largest = fmaxf(largest, fmaxf(fmaxf(lower(data[v].x), upper(data[v].x)),
                                   fmaxf(lower(data[v].y), upper(data[v].y))));
    largest = fmaxf(largest, fmaxf(fmaxf(lower(data[v].z), upper(data[v].z)),
                                   fmaxf(lower(data[v].w), upper(data[v].w))));
  }
  largest = reduce_over_block(largest, -INFINITY, Maximum(), maxima);

  float sum = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    sum += __expf(lower(data[v].x) - largest) + __expf(upper(data[v].x) - largest);
    sum += __expf(lower(data[v].y) - largest) + __expf(upper(data[v].y) - largest);
    sum += __expf(lower(data[v].z) - largest) + __expf(upper(data[v].z) - largest);
    sum += __expf(lower(data[v].w) - largest) + __expf(upper(data[v].w) - largest);
  }
  sum = reduce_over_block(sum, 0.0f, Sum(), sums);

  const float scale = 1.0f / sum;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = threadIdx.x + v * kThreads;
    if (i >= count) break;
    uint4 result;
    result.x = packed(__expf(lower(data[v].x) - largest) * scale, __expf(upper(data[v].x) - largest) * scale);
    result.y = packed(__expf(lower(data[v].y) - largest) * scale, __expf(upper(data[v].y) - largest) * scale);
    result.z = packed(__expf(lower(data[v].z) - largest) * scale, __expf(upper(data[v].z) - largest) * scale);
    result.w = packed(__expf(lower(data[v].w) - largest) * scale, __expf(upper(data[v].w) - largest) * scale);
    out[i] = result;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
softmax_any(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  __shared__ float maxima[kThreads / 32];
  __shared__ float sums[kThreads / 32];
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  x += row;
  y += row;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    largest = fmaxf(largest, __bfloat162float(x[i]));
  }
  largest = reduce_over_block(largest, -INFINITY, Maximum(), maxima);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    sum += __expf(__bfloat162float(x[i]) - largest);
  }
  sum = reduce_over_block(sum, 0.0f, Sum(), sums);

  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    y[i] = __float2bfloat16_rn(__expf(__bfloat162float(x[i]) - largest) * scale);
  }
}
