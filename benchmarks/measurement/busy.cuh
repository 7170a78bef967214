// A kernel whose time is proportional to `rounds` and does not depend on any cache, for the two
// programs that time it.
#pragma once

constexpr int k_busy_threads = 256;

extern "C" __global__ void busy(const float* x, float* y, int n, int rounds) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float value = x[i];
  for (int round = 0; round < rounds; ++round) value = fmaf(value, 0.999f, 0.001f);
  y[i] = value;
}

// Copies n groups of 16 bytes; blocks beyond the last begin anew, so that a larger grid does
// proportionally more.
extern "C" __global__ void copy(const float* x, float* y, int n, int) {
  const int i =
      static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) % static_cast<unsigned>(n));
  reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
}
