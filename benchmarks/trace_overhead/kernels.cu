// Kernels with ten scopes a warp, and one without any. Built plain and traced (CMakeLists.txt).
#include <kernelloop/trace.cuh>

#ifndef KERNELLOOP_TRACE
#define KERNELLOOP_TRACE_KERNEL
#endif

constexpr int k_threads = 256;

// Four chains keep the arithmetic units busy. An iteration has 128 instructions, and none are left
// over, so that it matters little where the compiler puts the loop: with 32, a head in the last 16
// of 128 bytes cost 7 % in blocks of two warps for each scheduler, traced or not.
extern "C" __global__ void __launch_bounds__(k_threads)
    busy(const float4* x, float4* y, int iterations) {
  KERNELLOOP_TRACE_KERNEL
  const unsigned int i = blockIdx.x * k_threads + threadIdx.x;
  float values[4] = {1.0f, 2.0f, 3.0f, static_cast<float>(i)};
#pragma unroll 1
  for (int scope = 0; scope < 10; ++scope) {
    KL_TRACE_SCOPE("step");
#pragma unroll 1
    for (int k = 0; k < iterations; ++k) {
#pragma unroll
      for (int round = 0; round < 32; ++round) {
        for (float& value : values) value = fmaf(value, 1.0001f, 0.5f);
      }
    }
  }
  // Never, but the compiler cannot know.
  if (values[0] + values[1] + values[2] + values[3] == 0.125f) y[i] = x[i];
}

// Memory bounds these: each block copies 40 KiB.
extern "C" __global__ void __launch_bounds__(k_threads)
    copy(const float4* __restrict__ x, float4* __restrict__ y, int) {
  KERNELLOOP_TRACE_KERNEL
  const unsigned int first = blockIdx.x * k_threads * 10 + threadIdx.x;
#pragma unroll 1
  for (unsigned int step = 0; step < 5; ++step) {
    float4 values[2];
    const unsigned int at = first + step * 2 * k_threads;
    {
      KL_TRACE_SCOPE("load");
      values[0] = x[at];
      values[1] = x[at + k_threads];
    }
    {
      KL_TRACE_SCOPE("store");
      y[at] = values[0];
      y[at + k_threads] = values[1];
    }
  }
}

// The same without scopes, 8 KiB a block: what the automatic records cost.
extern "C" __global__ void __launch_bounds__(k_threads)
    copy_unmarked(const float4* __restrict__ x, float4* __restrict__ y, int) {
  KERNELLOOP_TRACE_KERNEL
  const unsigned int at = blockIdx.x * k_threads * 2 + threadIdx.x;
  const float4 first = x[at];
  const float4 second = x[at + k_threads];
  y[at] = first;
  y[at + k_threads] = second;
}
