// A block-wide sum over several rounds, with all its barriers and with one missing.
#include <cuda_runtime.h>

template <bool all_barriers>
__device__ void rounds(const int* x, int* y, int n) {
  __shared__ int partial[8];
  for (int round = 0; round < n; ++round) {
    const int value = __reduce_add_sync(~0u, x[round * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      const int part = threadIdx.x < 8 ? partial[threadIdx.x] : 0;
      const int sum = __reduce_add_sync(~0u, part);
      if (threadIdx.x == 0) y[round] = sum;
    }
    // Without this the next round overwrites what the first warp may not have read yet.
    if (all_barriers) __syncthreads();
  }
}

extern "C" __global__ void correct(const int* x, int* y, int n) { rounds<true>(x, y, n); }
extern "C" __global__ void racy(const int* x, int* y, int n) { rounds<false>(x, y, n); }

// Within a warp: lanes read what others write, with and without __syncwarp().
template <bool synchronised>
__device__ void pass_on(int* y) {
  __shared__ int slot[32];
  slot[threadIdx.x] = threadIdx.x;
  __syncwarp();
  for (int i = 0; i < 4; ++i) {
    const int next = slot[(threadIdx.x + 1) % 32];
    if (synchronised) __syncwarp();
    slot[threadIdx.x] = next;
    __syncwarp();
  }
  y[threadIdx.x] = slot[threadIdx.x];
}
extern "C" __global__ void correct_warp(int* y) { pass_on<true>(y); }
extern "C" __global__ void racy_warp(int* y) { pass_on<false>(y); }
