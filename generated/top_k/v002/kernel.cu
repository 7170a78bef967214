/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 64", "kernel": "top_k_lanes_1", "grid": ["ceil_div(rows, 32)"],
      "block": [256], "args": ["x", "values", "indices", "rows", "cols"] },
    { "when": "cols % 8 == 0 && cols > 64 && cols <= 256", "kernel": "top_k_lanes_4",
      "grid": ["ceil_div(rows, 32)"], "block": [256],
      "args": ["x", "values", "indices", "rows", "cols"] },
    { "when": "cols <= 1024 && !(cols % 8 == 0 && cols <= 256)", "kernel": "top_k_warp",
      "grid": ["ceil_div(rows, 8)"], "block": [256],
      "args": ["x", "values", "indices", "rows", "cols"] },
    { "when": "cols > 1024 && cols <= 8192", "kernel": "top_k_block", "grid": ["rows"], "block": [256],
      "args": ["x", "values", "indices", "cols"] },
    { "when": "cols > 8192", "kernel": "top_k_wide", "grid": ["rows"], "block": [512],
      "args": ["x", "values", "indices", "cols"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr int kCount = 8;
constexpr unsigned kFullMask = 0xffffffffu;
constexpr int kLowest = static_cast<int>(0x80000000u);  // below the key of every element

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

// Keys are signed integers in the order of the elements, in their upper half; the lower is 0. -0 and
// +0 have one key, and NaN has the greatest.
__device__ __forceinline__ int key_of(float value) {
  if (value != value) return 0x7fff0000;
  const int bits = __float_as_int(value + 0.0f);
  return bits ^ ((bits >> 31) & 0x7fff0000);
}

__device__ __forceinline__ unsigned short element_of(int key) {
  return static_cast<unsigned short>(static_cast<unsigned>(key ^ ((key >> 31) & 0x7fff0000)) >> 16);
}

// NaN where one is among them.
__device__ __forceinline__ unsigned maximum(unsigned a, unsigned b) {
  const __nv_bfloat162 result = __hmax2_nan(*reinterpret_cast<const __nv_bfloat162*>(&a),
                                            *reinterpret_cast<const __nv_bfloat162*>(&b));
  return *reinterpret_cast<const unsigned*>(&result);
}
__device__ __forceinline__ unsigned maximum(const uint4& v) {
  return maximum(maximum(v.x, v.y), maximum(v.z, v.w));
}
__device__ __forceinline__ int largest_key(unsigned pair) {
  return max(key_of(lower(pair)), key_of(upper(pair)));
}

// ---- Short rows: eight lanes for each, with sorted lists in registers ----

__device__ __forceinline__ void exchange(int& first, int& second) {
  const int greater = max(first, second);
  second = min(first, second);
  first = greater;
}

// Into descending order: the network of 19 exchanges.
__device__ __forceinline__ void sort(int (&a)[8]) {
  exchange(a[0], a[1]); exchange(a[2], a[3]); exchange(a[4], a[5]); exchange(a[6], a[7]);
  exchange(a[0], a[2]); exchange(a[1], a[3]); exchange(a[4], a[6]); exchange(a[5], a[7]);
  exchange(a[1], a[2]); exchange(a[5], a[6]); exchange(a[0], a[4]); exchange(a[3], a[7]);
  exchange(a[1], a[5]); exchange(a[2], a[6]);
  exchange(a[1], a[4]); exchange(a[3], a[6]);
  exchange(a[2], a[4]); exchange(a[3], a[5]);
  exchange(a[3], a[4]);
}

// The greatest eight of two descending lists, in descending order.
__device__ __forceinline__ void merge(int (&a)[8], const int (&b)[8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = max(a[i], b[7 - i]);
#pragma unroll
  for (int distance = 4; distance > 0; distance /= 2) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if ((i & distance) == 0) exchange(a[i], a[i + distance]);
    }
  }
}

// Keys with 0xffff - column in the lower half, so that they are unique: lower columns come first.
__device__ __forceinline__ void keys_of(int (&keys)[8], const uint4& v, int first_col) {
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
  const int tag = 0xffff - first_col;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    keys[2 * w] = key_of(lower(words[w])) | (tag - 2 * w);
    keys[2 * w + 1] = key_of(upper(words[w])) | (tag - 2 * w - 1);
  }
}

template <int kVectors>
__device__ __forceinline__ void top_k_lanes(const __nv_bfloat16* x, __nv_bfloat16* values,
                                            long long* indices, int rows, int cols) {
  const int lane = threadIdx.x % 8;
  const int row = blockIdx.x * 32 + threadIdx.x / 8;
  const int count = cols / 8;
  // Lanes without a row take part in the shuffles and store nothing.
  const uint4* in = reinterpret_cast<const uint4*>(x) + static_cast<size_t>(min(row, rows - 1)) * count;
  uint4 data[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = v * 8 + lane;
    if (i < count) data[v] = __ldg(in + i);
  }
  int best[8];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    int keys[8];
    const int i = v * 8 + lane;
    if (i < count) {
      keys_of(keys, data[v], i * 8);
      sort(keys);
    } else {
#pragma unroll
      for (int j = 0; j < 8; ++j) keys[j] = kLowest;
    }
    if (v == 0) {
#pragma unroll
      for (int j = 0; j < 8; ++j) best[j] = keys[j];
    } else {
      merge(best, keys);
    }
  }
#pragma unroll
  for (int offset = 1; offset < 8; offset *= 2) {
    int other[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) other[j] = __shfl_xor_sync(kFullMask, best[j], offset);
    merge(best, other);
  }
  if (row >= rows) return;
  int own = best[0];
#pragma unroll
  for (int j = 1; j < 8; ++j) own = lane == j ? best[j] : own;
  const size_t out = static_cast<size_t>(row) * kCount + lane;
  reinterpret_cast<unsigned short*>(values)[out] = element_of(own);
  indices[out] = 0xffff - (own & 0xffff);
}

extern "C" __global__ void __launch_bounds__(256)
top_k_lanes_1(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ values,
              long long* __restrict__ indices, int rows, int cols) {
  top_k_lanes<1>(x, values, indices, rows, cols);
}
extern "C" __global__ void __launch_bounds__(256)
top_k_lanes_4(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ values,
              long long* __restrict__ indices, int rows, int cols) {
  top_k_lanes<4>(x, values, indices, rows, cols);
}

// ---- Longer rows: a bound from maxima of groups, then the few elements that reach it ----

// Of elements: key and column; greater ones come first. Never 0.
__device__ __forceinline__ unsigned long long entry_of(int key, unsigned col) {
  return static_cast<unsigned long long>(static_cast<unsigned>(key) ^ 0x80000000u) << 32 | (0xffffffffu - col);
}

// What a team, a warp or a block, shares.
template <int kThreads, int kCapacity>
struct Team {
  int groups[32];  // maxima of 32 groups of threads over their first batches
  int found;
  unsigned long long candidates[kCapacity];
  unsigned long long partial[kThreads / 32];
  unsigned long long chosen;
};

template <int kThreads>
__device__ __forceinline__ void synchronize() {
  if (kThreads == 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

__device__ __forceinline__ void put(unsigned long long entry, int rank, __nv_bfloat16* values,
                                    long long* indices) {
  const int key = static_cast<int>(static_cast<unsigned>(entry >> 32) ^ 0x80000000u);
  reinterpret_cast<unsigned short*>(values)[rank] = element_of(key);
  indices[rank] = static_cast<long long>(0xffffffffu - static_cast<unsigned>(entry));
}

// For rows in which too many elements reach the bound, many equal ones as a rule: one search through
// the row for each rank.
template <int kThreads, int kCapacity>
__device__ __noinline__ void search(const __nv_bfloat16* row, int cols, int thread,
                                    Team<kThreads, kCapacity>& team, __nv_bfloat16* values,
                                    long long* indices) {
  unsigned long long last = ~0ull;
  for (int rank = 0; rank < kCount; ++rank) {
    unsigned long long best = 0;
    for (int i = thread; i < cols; i += kThreads) {
      const unsigned long long entry = entry_of(key_of(__bfloat162float(row[i])), i);
      if (entry < last && entry > best) best = entry;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      const unsigned long long other = __shfl_xor_sync(kFullMask, best, offset);
      best = other > best ? other : best;
    }
    if (thread % 32 == 0) team.partial[thread / 32] = best;
    synchronize<kThreads>();
    if (thread == 0) {
      for (int warp = 1; warp < kThreads / 32; ++warp) {
        best = team.partial[warp] > best ? team.partial[warp] : best;
      }
      team.chosen = best;
      put(best, rank, values, indices);
    }
    synchronize<kThreads>();
    last = team.chosen;
  }
}

template <int kThreads, int kCapacity>
__device__ __forceinline__ void offer(Team<kThreads, kCapacity>& team, float value, int bound, int col) {
  const int key = key_of(value);
  if (key < bound) return;
  const int place = atomicAdd(&team.found, 1);
  if (place < kCapacity) team.candidates[place] = entry_of(key, col);
}

template <int kVectors, int kThreads>
__device__ __forceinline__ void load(uint4 (&data)[kVectors], const uint4* in, int first, int count) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = first + v * kThreads;
    data[v] = i < count ? __ldg(in + i) : make_uint4(0xff80ff80u, 0xff80ff80u, 0xff80ff80u, 0xff80ff80u);
  }
}

template <int kVectors>
__device__ __forceinline__ int largest_of(const uint4 (&data)[kVectors]) {
  unsigned pair = maximum(data[0]);
#pragma unroll
  for (int v = 1; v < kVectors; ++v) pair = maximum(pair, maximum(data[v]));
  return largest_key(pair);
}

// Those of a batch that reach the bound become candidates. Which place each gets is left to chance,
// and makes no difference.
template <int kVectors, int kThreads, int kCapacity>
__device__ __forceinline__ void collect(Team<kThreads, kCapacity>& team, const uint4 (&data)[kVectors],
                                        int bound, int first, int count, int head) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = first + v * kThreads;
    if (i < count && largest_key(maximum(data[v])) >= bound) {
      const unsigned words[4] = {data[v].x, data[v].y, data[v].z, data[v].w};
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        offer(team, lower(words[w]), bound, head + i * 8 + 2 * w);
        offer(team, upper(words[w]), bound, head + i * 8 + 2 * w + 1);
      }
    }
  }
}

// The elements before the first and behind the last whole 16 bytes of a row are candidates by
// themselves.
template <int kThreads, int kVectors, bool kOneBatch, int kCapacity>
__device__ __forceinline__ void top_k_row(const __nv_bfloat16* row, int cols, int thread,
                                          Team<kThreads, kCapacity>& team, __nv_bfloat16* values,
                                          long long* indices) {
  constexpr int kBatch = kVectors * kThreads;
  constexpr int kGroup = kThreads / 32;
  const int misaligned = static_cast<int>(reinterpret_cast<uintptr_t>(row) % 16 / 2);
  const int head = min(misaligned == 0 ? 0 : 8 - misaligned, cols);
  const auto* in = reinterpret_cast<const uint4*>(row + head);
  const int count = (cols - head) / 8;
  uint4 data[kVectors];
  load<kVectors, kThreads>(data, in, thread, count);
  // At most one of the elements at the edges for each thread.
  const int tail = head + count * 8 + thread - 8;
  const int edge = thread < head ? thread : (thread >= 8 && tail < cols ? tail : -1);
  const float edge_value = edge >= 0 ? __bfloat162float(row[edge]) : 0.0f;

  // At least eight elements reach the eighth greatest of the maxima of disjoint groups.
  int largest = largest_of<kVectors>(data);
  int group = thread < count ? largest : kLowest;
#pragma unroll
  for (int offset = 1; offset < kGroup; offset *= 2) {
    group = max(group, __shfl_xor_sync(kFullMask, group, offset));
  }
  if (thread % kGroup == 0) team.groups[thread / kGroup] = group;
  if (thread == 0) team.found = 0;
  synchronize<kThreads>();
  const int lane = thread % 32;
  int bound = kLowest;
  group = team.groups[lane] | lane;  // unique
#pragma unroll
  for (int rank = 0; rank < kCount; ++rank) {
    bound = __reduce_max_sync(kFullMask, group);
    if (group == bound) group = kLowest;
  }
  bound &= static_cast<int>(0xffff0000u);

  if (edge >= 0) offer(team, edge_value, bound, edge);
  if (kOneBatch) {
    if (largest >= bound) collect<kVectors>(team, data, bound, thread, count, head);
  } else {
    // The loads of a batch are under way while the one before is looked at.
    for (int first = thread; first < count; first += kBatch) {
      uint4 next[kVectors];
      load<kVectors, kThreads>(next, in, first + kBatch, count);
      if (largest_of<kVectors>(data) >= bound) collect<kVectors>(team, data, bound, first, count, head);
#pragma unroll
      for (int v = 0; v < kVectors; ++v) data[v] = next[v];
    }
  }
  synchronize<kThreads>();

  const int found = team.found;  // the same for all
  if (found > kCapacity) {
    search(row, cols, thread, team, values, indices);
    return;
  }
  for (int i = thread; i < found; i += kThreads) {
    const unsigned long long own = team.candidates[i];
    int rank = 0;
    for (int j = 0; j < found; ++j) rank += team.candidates[j] > own ? 1 : 0;
    if (rank < kCount) put(own, rank, values, indices);
  }
}

extern "C" __global__ void __launch_bounds__(256)
top_k_warp(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ values,
           long long* __restrict__ indices, int rows, int cols) {
  __shared__ Team<32, 128> teams[8];
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * 8 + warp;
  if (row >= rows) return;
  top_k_row<32, 4, true>(x + static_cast<size_t>(row) * cols, cols, threadIdx.x % 32, teams[warp],
                         values + static_cast<size_t>(row) * kCount,
                         indices + static_cast<size_t>(row) * kCount);
}

extern "C" __global__ void __launch_bounds__(256)
top_k_block(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ values,
            long long* __restrict__ indices, int cols) {
  __shared__ Team<256, 256> team;
  const size_t row = blockIdx.x;
  top_k_row<256, 4, true>(x + row * cols, cols, threadIdx.x, team, values + row * kCount,
                          indices + row * kCount);
}

extern "C" __global__ void __launch_bounds__(512, 2)
top_k_wide(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ values,
           long long* __restrict__ indices, int cols) {
  __shared__ Team<512, 1024> team;
  const size_t row = blockIdx.x;
  top_k_row<512, 4, false>(x + row * cols, cols, threadIdx.x, team, values + row * kCount,
                           indices + row * kCount);
}
