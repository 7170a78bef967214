// One warp per row, four rows a block; bf16 pairs in and out; a second kernel for float4.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>

namespace cg = cooperative_groups;

template <int kWidth>
struct alignas(sizeof(__nv_bfloat16) * kWidth) Pack {
  __nv_bfloat16 value[kWidth];
};

extern "C" __global__ void rmsnorm_warp(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                        __nv_bfloat16* y, int rows, int cols, float eps) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  using Pack4 = Pack<4>;
  const Pack4* in = reinterpret_cast<const Pack4*>(x + size_t(row) * cols);
  Pack4* out = reinterpret_cast<Pack4*>(y + size_t(row) * cols);
  const Pack4* w = reinterpret_cast<const Pack4*>(weight);
  float sum = 0;
  for (int i = warp.thread_rank(); i < cols / 4; i += 32) {
    const Pack4 p = in[i];
    for (int k = 0; k < 4; ++k) {
      const float v = __bfloat162float(p.value[k]);
      sum = fmaf(v, v, sum);
    }
  }
  sum = cg::reduce(warp, sum, cg::plus<float>());
  const float scale = rsqrtf(sum / cols + eps);
  for (int i = warp.thread_rank(); i < cols / 4; i += 32) {
    const Pack4 p = in[i];
    const Pack4 q = w[i];
    Pack4 r;
    for (int k = 0; k < 4; ++k) {
      r.value[k] = __float2bfloat16(__bfloat162float(p.value[k]) * scale * __bfloat162float(q.value[k]));
    }
    out[i] = r;
  }
}

extern "C" {
__global__ void rmsnorm_float4(const float4* x, float4* y, int vectors, float eps) {
  __shared__ float partial[32], total;
  const float4* row = x + size_t(blockIdx.x) * vectors;
  float sum = 0;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = row[i];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int delta = 16; delta > 0; delta >>= 1) sum += __shfl_down_sync(~0u, sum, delta);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    total = 0;
    for (unsigned i = 0; i < (blockDim.x + 31) / 32; ++i) total += partial[i];
  }
  __syncthreads();
  const float scale = rsqrtf(total / (4 * vectors) + eps);
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = row[i];
    y[size_t(blockIdx.x) * vectors + i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
  }
}
}
