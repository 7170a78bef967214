/* kernelloop:plan
{ "launches": [
    { "kernel": "argmax_rows", "grid": ["rows"], "block": [256], "args": ["x", "index", "cols"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr int kThreads = 256;

// An element as it takes part in the search: larger keys come first, then lower columns.
struct Entry {
  unsigned key;
  int64_t col;
};

// Ordered as the elements are, NaN above all; -0 and +0 have one key. Never 0.
__device__ unsigned key_of(float value) {
  if (isnan(value)) return 0xffffffffu;
  const unsigned bits = __float_as_uint(value + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

__device__ bool comes_first(const Entry& a, const Entry& b) {
  return a.key > b.key || (a.key == b.key && a.col < b.col);
}

// Every thread gets the first entry of the block.
__device__ Entry first_of_block(Entry entry) {
  __shared__ Entry entries[kThreads];
  entries[threadIdx.x] = entry;
  __syncthreads();
  for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride && comes_first(entries[threadIdx.x + stride], entries[threadIdx.x])) {
      entries[threadIdx.x] = entries[threadIdx.x + stride];
    }
    __syncthreads();
  }
  return entries[0];
}

extern "C" __global__ void __launch_bounds__(kThreads)
argmax_rows(const __nv_bfloat16* __restrict__ x, long long* __restrict__ index, int64_t cols) {
  x += blockIdx.x * cols;
  Entry best{0u, cols};  // comes after every element
  for (int64_t i = threadIdx.x; i < cols; i += kThreads) {
    const Entry entry{key_of(__bfloat162float(x[i])), i};
    if (comes_first(entry, best)) best = entry;
  }
  best = first_of_block(best);
  if (threadIdx.x == 0) index[blockIdx.x] = best.col;
}
