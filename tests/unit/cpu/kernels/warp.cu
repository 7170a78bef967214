// Warp-wide functions. Each kernel writes what one lane saw to out[thread].
#include <cuda_runtime.h>

extern "C" __global__ void shuffles(int* out, int width) {
  const int t = threadIdx.x;
  out[t] = __shfl_sync(~0u, t, 5, width);
  out[32 + t] = __shfl_up_sync(~0u, t, 3, width);
  out[64 + t] = __shfl_down_sync(~0u, t, 3, width);
  out[96 + t] = __shfl_xor_sync(~0u, t, 9, width);
  const double wide = __shfl_xor_sync(~0u, t + 0.5, 1);
  out[128 + t] = static_cast<int>(2 * wide);
}

extern "C" __global__ void votes(unsigned* out) {
  const int t = threadIdx.x;
  out[t] = __ballot_sync(~0u, t % 3 == 0);
  out[32 + t] = __any_sync(~0u, t == 31) + 2 * __any_sync(~0u, t == 32);
  out[64 + t] = __all_sync(~0u, t < 32) + 2 * __all_sync(~0u, t < 31);
  out[96 + t] = __match_any_sync(~0u, t / 10);
  int same = 7;
  const unsigned lanes = __match_all_sync(~0u, 42ull, &same);
  int other = 7;
  const unsigned none = __match_all_sync(~0u, t == 4 ? 1.0f : 2.0f, &other);
  out[128 + t] = (lanes == ~0u) + 2 * (same == 1) + 4 * (none == 0) + 8 * (other == 0);
}

extern "C" __global__ void reductions(int* out) {
  const int t = threadIdx.x;
  out[t] = __reduce_add_sync(~0u, t - 16);
  out[32 + t] = __reduce_min_sync(~0u, 5 - t);
  out[64 + t] = __reduce_max_sync(~0u, static_cast<unsigned>(t * 3));
  out[96 + t] = __reduce_and_sync(~0u, 0xF0u | t) + 256 * __reduce_or_sync(~0u, 1u << (t % 4)) +
                65536 * __reduce_xor_sync(~0u, t == 7 ? 3u : 0u);
  out[128 + t] = __reduce_max_sync(~0u, t - 100);
}

// Halves of a warp that go different ways, each with its own mask, several times over.
extern "C" __global__ void halves(int* out) {
  const int t = threadIdx.x;
  int value = t;
  if (t < 16) {
    for (int i = 1; i < 16; i *= 2) value += __shfl_xor_sync(0xFFFFu, value, i, 16);
    __syncwarp(0xFFFFu);
  } else {
    for (int i = 0; i < 3; ++i) value = __shfl_up_sync(0xFFFF0000u, value, 1);
  }
  __syncwarp();
  out[t] = value;
}

// Which lanes are here? Those that took this branch; the others are elsewhere or gone.
extern "C" __global__ void active(unsigned* out) {
  const int t = threadIdx.x;
  if (t == 9) return;
  if (t % 2 == 0) {
    out[t] = __activemask();
  } else {
    out[t] = __activemask();
  }
}

// 48 threads: the last warp has 16 lanes, and the usual full mask.
extern "C" __global__ void partial_warp(int* out) {
  int value = 1;
  for (int offset = 8; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset, 16);
  out[threadIdx.x] = value;
}
