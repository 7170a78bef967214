// Accesses out of bounds. The tests know the lines of the marked statements.
#include <cuda_runtime.h>

template <int n>
__device__ float* row() {
  __shared__ float memory[n];
  return memory;
}

extern "C" __global__ void clean(float* x, int n) {
  extern __shared__ float more[];
  __shared__ float fixed[64];
  fixed[threadIdx.x % 64] = 1.0f;
  more[threadIdx.x] = 2.0f;
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < n) {
    x[threadIdx.x] = __shfl_xor_sync(~0u, fixed[threadIdx.x % 64], 1) + more[threadIdx.x];
  }
}

extern "C" __global__ void global_write(float* x, int n) {
  if (static_cast<int>(threadIdx.x) <= n) x[threadIdx.x] = 1.0f;  // line 22
}

extern "C" __global__ void global_read(float* x, int n) {
  const float value = x[n + threadIdx.x % 2];  // line 26
  x[0] = value;
}

extern "C" __global__ void static_write(float* x, int n) {
  __shared__ float fixed[64];
  fixed[n] = 1.0f;  // line 32
  __syncthreads();
  x[0] = fixed[0];
}

extern "C" __global__ void template_write(float* x, int n) {
  float* memory = row<64>();
  memory[n] = 1.0f;  // line 39
  __syncthreads();
  x[0] = memory[0];
}

extern "C" __global__ void dynamic_write(float* x, int n) {
  extern __shared__ float more[];
  more[n] = 1.0f;  // line 46
  __syncthreads();
  x[0] = more[0];
}

extern "C" __global__ void misaligned(float* x, int n) {
  *reinterpret_cast<float4*>(x + n % 4 + 1) = make_float4(0, 0, 0, 0);  // line 52
}

extern "C" __global__ void local_write(float* x, int n) {
  float local[16];
  for (int i = 0; i < 16; ++i) local[i] = x[i];
  local[n] = 1.0f;  // line 58
  __syncthreads();
  x[threadIdx.x % 16] = local[threadIdx.x % 16];
}
