// Kernels that go wrong. The tests know the lines of the marked statements.
#include <cuda_runtime.h>

#include <cassert>

extern "C" __global__ void divergent_barrier(int* out) {
  if (threadIdx.x < 16) {
    __syncthreads();  // line 8
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();  // line 11
  }
}

extern "C" __global__ void lanes_missing(int* out) {
  if (threadIdx.x < 8) {
    out[threadIdx.x] = __shfl_sync(0xffffffffu, out[threadIdx.x], 0);  // line 17
  }
  __syncthreads();  // line 19
}

extern "C" __global__ void not_in_mask(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, 1, 1);  // line 23
}

extern "C" __global__ void other_mask(int* out) {
  out[threadIdx.x] = __any_sync(threadIdx.x < 4 ? 0x1fu : 0xffu, 1);  // line 27
}

extern "C" __global__ void traps(int* out) {
  if (blockIdx.x == 2 && threadIdx.x == 5) __trap();  // line 31
  out[0] = 1;
}

extern "C" __global__ void asserts(int* out, int n) {
  assert(n > 0 && "n must be positive");  // line 36
  out[0] = n;
}

extern "C" __global__ void waits_for_next_block(int* flag) {
  if (blockIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {  // line 42
    }
  } else {
    atomicExch(flag, 1);
  }
}

extern "C" __global__ void __launch_bounds__(64) small_blocks(int* out) { out[threadIdx.x] = 1; }

extern "C" __global__ void works(int* out) {
  __syncthreads();
  out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void divergent_in_one_line(int* out) {
  // clang-format off
  if (threadIdx.x < 16) { __syncthreads(); } else { __syncthreads(); }  // line 58
  // clang-format on
  out[threadIdx.x] = 1;
}
