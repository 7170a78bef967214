// Instructions of every kind that the instruction policy knows. arithmetic.ptx is what nvcc 13.0
// makes of it:  nvcc -ptx -arch=sm_90a -lineinfo arithmetic.cu
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cassert>

__device__ const float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__device__ unsigned int visits;
__device__ float cache[1024];

// bfloat16 factors, float32 sums.
extern "C" __global__ void gemm(const unsigned* a, const unsigned* b, float* c) {
  const int t = threadIdx.x;
  float d[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32\n"
      "  {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[t]), "r"(a[t + 32]), "r"(a[t + 64]), "r"(a[t + 96]), "r"(b[t]), "r"(b[t + 32]));
  for (int i = 0; i < 4; ++i) c[4 * t + i] = d[i];
}

extern "C" __global__ void gemm_tf32(const unsigned* a, const unsigned* b, float* c) {
  const int t = threadIdx.x;
  float d[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[t]), "r"(a[t + 32]), "r"(a[t + 64]), "r"(a[t + 96]), "r"(b[t]), "r"(b[t + 32]));
  for (int i = 0; i < 4; ++i) c[4 * t + i] = d[i];
}

extern "C" __global__ void gemm_half(const unsigned* a, const unsigned* b, unsigned* c) {
  const int t = threadIdx.x;
  unsigned d[2] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[t]), "r"(a[t + 32]), "r"(a[t + 64]), "r"(a[t + 96]), "r"(b[t]), "r"(b[t + 32]));
  c[2 * t] = d[0];
  c[2 * t + 1] = d[1];
}

// An honest row: conversions and a maximum in bfloat16, everything else in float32.
extern "C" __global__ void softmax_row(const __nv_bfloat162* x, __nv_bfloat162* y) {
  const int t = threadIdx.x;
  assert(blockDim.x == 32);
  const __nv_bfloat162 pair = __hmax2(x[t], x[t + 32]);
  float most = fmaxf(__low2float(pair), __high2float(pair));
  for (int lane = 16; lane > 0; lane /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, lane));
  const float2 value = __bfloat1622float2(x[t]);
  const float low = exp2f(value.x - most);
  const float high = exp2f(value.y - most);
  y[t] = __floats2bfloat162_rn(__fdividef(low, low + high), __fdividef(high, low + high));
}

extern "C" __global__ void packed_sum(const __nv_bfloat162* x, __nv_bfloat162* y) {
  const int t = threadIdx.x;
  y[t] = __hfma2(x[t], x[t + 32], __hadd2(x[t + 64], x[t + 96]));
}

extern "C" __global__ void memory_sum(const __half2* x, __half2* y) {
  atomicAdd(y, x[threadIdx.x]);
}

extern "C" __global__ void reads_table(float* y, int i) { y[threadIdx.x] = table[i & 3]; }

extern "C" __global__ void remembers(float* y, int i) {
  if (atomicAdd(&visits, 1u) < 4) cache[threadIdx.x] = y[i];
  y[threadIdx.x] = cache[threadIdx.x];
}

extern "C" __global__ void looks_at_clock(long long* y) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  y[threadIdx.x] = clock64() + static_cast<long long>(now);
}

extern "C" __global__ void waits(float* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  bar.arrive_and_wait();
  y[threadIdx.x] = 1.0f;
}

extern "C" __global__ void keeps(const float* x, float* y) {
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  float value;
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
               : "=f"(value)
               : "l"(x + threadIdx.x), "l"(policy));
  y[threadIdx.x] = value;
  asm volatile("griddepcontrol.launch_dependents;");
}
