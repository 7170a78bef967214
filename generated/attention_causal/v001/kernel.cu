/* kernelloop:plan
{ "launches": [
    { "kernel": "attention_causal_rows", "grid": ["heads * queries"], "block": [128],
      "args": ["q", "k", "v", "y", "queries", "keys", "head_dim"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr int kThreads = 128;
constexpr int kWidest = 256;                // greatest head_dim
constexpr int kOwned = kWidest / kThreads;  // elements of the result that a thread may own
constexpr unsigned kFullMask = 0xffffffffu;

// Every thread gets the sum over the block.
__device__ float sum_over_block(float value) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFullMask, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0.0f;
  for (int warp = 0; warp < kThreads / 32; ++warp) value += partial[warp];
  __syncthreads();  // before the next call writes
  return value;
}

// Every thread gets the maximum over the block.
__device__ float maximum_over_block(float value) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kFullMask, value, offset));
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int warp = 1; warp < kThreads / 32; ++warp) value = fmaxf(value, partial[warp]);
  __syncthreads();  // before the next call writes
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads)
attention_causal_rows(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k,
                      const __nv_bfloat16* __restrict__ v, __nv_bfloat16* __restrict__ y,
                      int64_t queries, int64_t keys, int head_dim) {
  __shared__ float query[kWidest];     // already divided by sqrt(head_dim)
  __shared__ float weights[kThreads];  // of the keys of one tile
  const int64_t head = blockIdx.x / queries;
  const int64_t visible = keys - queries + blockIdx.x % queries + 1;
  q += blockIdx.x * static_cast<int64_t>(head_dim);
  y += blockIdx.x * static_cast<int64_t>(head_dim);
  k += head * keys * head_dim;
  v += head * keys * head_dim;
  const float scale = 1.0f / sqrtf(static_cast<float>(head_dim));
  for (int d = threadIdx.x; d < head_dim; d += kThreads) query[d] = __bfloat162float(q[d]) * scale;
  __syncthreads();

  // What the keys so far give, with weights relative to the greatest score among them.
  float largest = -INFINITY;
  float sum = 0.0f;
  float result[kOwned] = {};
  for (int64_t start = 0; start < visible; start += kThreads) {
    const int64_t key = start + threadIdx.x;
    float score = -INFINITY;
    if (key < visible) {
      score = 0.0f;
      for (int d = 0; d < head_dim; ++d)
        score += query[d] * __bfloat162float(k[key * head_dim + d]);
    }
    const float new_largest = fmaxf(largest, maximum_over_block(score));
    const float rescale = expf(largest - new_largest);  // 0 for the first tile
    largest = new_largest;
    weights[threadIdx.x] = key < visible ? expf(score - largest) : 0.0f;
    sum = sum * rescale + sum_over_block(weights[threadIdx.x]);  // its barriers publish the weights
    const int count = static_cast<int>(min(visible - start, static_cast<int64_t>(kThreads)));
    for (int own = 0; own < kOwned; ++own) {
      const int d = threadIdx.x + own * kThreads;
      if (d >= head_dim) break;
      float added = 0.0f;
      for (int j = 0; j < count; ++j) {
        added += weights[j] * __bfloat162float(v[(start + j) * head_dim + d]);
      }
      result[own] = result[own] * rescale + added;
    }
    __syncthreads();  // before the next tile writes its weights
  }
  for (int own = 0; own < kOwned; ++own) {
    const int d = threadIdx.x + own * kThreads;
    if (d < head_dim) y[d] = __float2bfloat16_rn(result[own] / sum);
  }
}
