/* kernelloop:plan
{ "launches": [
    { "when": "cols <= 1024", "kernel": "argmax_warp", "grid": ["ceil_div(rows, 8)"], "block": [256],
      "args": ["x", "index", "rows", "cols"] },
    { "when": "cols > 1024 && cols <= 8192", "kernel": "argmax_block", "grid": ["rows"], "block": [256],
      "args": ["x", "index", "cols"] },
    { "when": "cols > 8192", "kernel": "argmax_wide", "grid": ["rows"], "block": [512],
      "args": ["x", "index", "cols"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr unsigned kFullMask = 0xffffffffu;
constexpr int kLowest = static_cast<int>(0x80000000u);  // below the key of every element

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

// Keys are signed integers in the order of the elements. -0 and +0 have one key, and NaN has the
// greatest.
__device__ __forceinline__ int key_of(float value) {
  if (value != value) return 0x7fff0000;
  const int bits = __float_as_int(value + 0.0f);
  return bits ^ ((bits >> 31) & 0x7fff0000);
}

// NaN where one is among them.
__device__ __forceinline__ unsigned maximum(unsigned a, unsigned b) {
  const __nv_bfloat162 result = __hmax2_nan(*reinterpret_cast<const __nv_bfloat162*>(&a),
                                            *reinterpret_cast<const __nv_bfloat162*>(&b));
  return *reinterpret_cast<const unsigned*>(&result);
}
__device__ __forceinline__ int largest_key(const uint4& v) {
  const unsigned pair = maximum(maximum(v.x, v.y), maximum(v.z, v.w));
  return max(key_of(lower(pair)), key_of(upper(pair)));
}

// The greatest key, and the first column of where it was found: of a vector, or of an element at the
// row's edges.
struct Best {
  int key;
  unsigned col;
};

__device__ __forceinline__ Best over_warp(const Best& best) {
  const int key = __reduce_max_sync(kFullMask, best.key);
  return {key, __reduce_min_sync(kFullMask, best.key == key ? best.col : 0xffffffffu)};
}

// The elements of a row that lie before the first and behind the last whole 16 bytes are taken one
// by one.
struct Row {
  const uint4* vectors;
  int count;
  int head;
};

__device__ __forceinline__ Row row_of(const __nv_bfloat16* x, int cols) {
  const int misaligned = static_cast<int>(reinterpret_cast<uintptr_t>(x) % 16 / 2);
  const int head = min(misaligned == 0 ? 0 : 8 - misaligned, cols);
  return {reinterpret_cast<const uint4*>(x + head), (cols - head) / 8, head};
}

template <int kVectors, int kThreads>
__device__ __forceinline__ void load(uint4 (&data)[kVectors], const Row& row, int first) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = first + v * kThreads;
    if (i < row.count) data[v] = __ldg(row.vectors + i);
  }
}

// Columns rise, so that the first of equal ones stays.
template <int kVectors, int kThreads>
__device__ __forceinline__ void look_at(Best& best, const uint4 (&data)[kVectors], const Row& row, int first) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = first + v * kThreads;
    if (i < row.count) {
      const int key = largest_key(data[v]);
      if (key > best.key) best = {key, static_cast<unsigned>(row.head + i * 8)};
    }
  }
}

// Of this thread, over its vectors and the element at the edges that is its own.
template <int kVectors, int kThreads, bool kOneBatch>
__device__ __forceinline__ Best search(const __nv_bfloat16* x, int cols, int thread, const Row& row) {
  constexpr int kBatch = kVectors * kThreads;
  uint4 data[kVectors];
  load<kVectors, kThreads>(data, row, thread);
  const int tail = row.head + row.count * 8 + thread - 8;
  const int edge = thread < row.head ? thread : (thread >= 8 && tail < cols ? tail : -1);
  const float edge_value = edge >= 0 ? __bfloat162float(x[edge]) : 0.0f;
  Best best{kLowest, 0u};
  if (kOneBatch) {
    look_at<kVectors, kThreads>(best, data, row, thread);
  } else {
    // The loads of a batch are under way while the one before is looked at.
    for (int first = thread; first < row.count; first += kBatch) {
      uint4 next[kVectors];
      load<kVectors, kThreads>(next, row, first + kBatch);
      look_at<kVectors, kThreads>(best, data, row, first);
#pragma unroll
      for (int v = 0; v < kVectors; ++v) data[v] = next[v];
    }
  }
  if (edge >= 0) {
    const int key = key_of(edge_value);
    if (key > best.key || (key == best.key && edge < row.head)) best = {key, static_cast<unsigned>(edge)};
  }
  return best;
}

// By the lanes of one warp: which of the vector's elements it was.
__device__ __forceinline__ void store(const __nv_bfloat16* x, const Best& best, const Row& row, int lane,
                                      long long* index) {
  const int col = static_cast<int>(best.col);
  const bool whole = col >= row.head && col < row.head + row.count * 8;
  const bool found = lane < (whole ? 8 : 1) && key_of(__bfloat162float(x[col + lane])) == best.key;
  const unsigned lanes = __ballot_sync(kFullMask, found);
  if (lane == 0) *index = col + __ffs(static_cast<int>(lanes)) - 1;
}

extern "C" __global__ void __launch_bounds__(256)
argmax_warp(const __nv_bfloat16* __restrict__ x, long long* __restrict__ index, int rows, int cols) {
  const int number = blockIdx.x * 8 + threadIdx.x / 32;
  if (number >= rows) return;
  x += static_cast<size_t>(number) * cols;
  const Row row = row_of(x, cols);
  const int lane = threadIdx.x % 32;
  store(x, over_warp(search<4, 32, true>(x, cols, lane, row)), row, lane, index + number);
}

template <int kVectors, int kThreads, bool kOneBatch>
__device__ __forceinline__ void argmax_of_block(const __nv_bfloat16* x, long long* index, int cols) {
  __shared__ Best partial[kThreads / 32];
  x += static_cast<size_t>(blockIdx.x) * cols;
  const Row row = row_of(x, cols);
  Best best = over_warp(search<kVectors, kThreads, kOneBatch>(x, cols, threadIdx.x, row));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  best = over_warp(threadIdx.x < kThreads / 32 ? partial[threadIdx.x] : Best{kLowest, 0xffffffffu});
  store(x, best, row, threadIdx.x, index + blockIdx.x);
}

extern "C" __global__ void __launch_bounds__(256)
argmax_block(const __nv_bfloat16* __restrict__ x, long long* __restrict__ index, int cols) {
  argmax_of_block<4, 256, true>(x, index, cols);
}
extern "C" __global__ void __launch_bounds__(512, 2)
argmax_wide(const __nv_bfloat16* __restrict__ x, long long* __restrict__ index, int cols) {
  argmax_of_block<4, 512, false>(x, index, cols);
}
