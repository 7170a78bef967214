/* kernelloop:plan
{ "workspace_bytes": "cols > 65536 ? rows * ceil_div(cols % 4 == 0 ? cols : cols + 3, 8192) * 8 + 8 : 0",
  "launches": [
    { "when": "cols <= (cols % 4 == 0 ? 1024 : 1021)", "kernel": "cumsum_warp",
      "grid": ["ceil_div(rows, 8)"], "block": [256], "args": ["x", "y", "rows", "cols"] },
    { "when": "cols > (cols % 4 == 0 ? 1024 : 1021) && cols <= 5117", "kernel": "cumsum_160",
      "grid": ["rows"], "block": [160], "args": ["x", "y", "cols"] },
    { "when": "cols > 5117 && cols <= 65536", "kernel": "cumsum_256", "grid": ["rows"], "block": [256],
      "args": ["x", "y", "cols"] },
    { "when": "cols > 65536", "kernel": "cumsum_clear",
      "grid": ["ceil_div(rows * ceil_div(cols % 4 == 0 ? cols : cols + 3, 8192) + 1, 256)"], "block": [256],
      "args": ["workspace", "rows * ceil_div(cols % 4 == 0 ? cols : cols + 3, 8192) + 1"] },
    { "when": "cols > 65536", "kernel": "cumsum_pieces", "grid": ["rows * ceil_div(cols % 4 == 0 ? cols : cols + 3, 8192)"],
      "block": [256], "args": ["x", "y", "workspace", "cols", "ceil_div(cols % 4 == 0 ? cols : cols + 3, 8192)"] } ] }
*/
#include <cstdint>

constexpr unsigned kFullMask = 0xffffffffu;
constexpr int kVectors = 8;  // of four elements, for each thread

// A row, seen from the 16-byte boundary at or before its first element: the vectors at both ends may
// reach beyond it, and are loaded and stored element by element.
struct Row {
  const float* in;  // at the boundary
  float* out;
  int first;  // of the row, in elements from the boundary
  int last;   // behind it
};

__device__ __forceinline__ Row row_of(const float* x, float* y, int number, int cols) {
  const int64_t start = static_cast<int64_t>(number) * cols;
  const int first = static_cast<int>(start % 4);
  return {x + (start - first), y + (start - first), first, first + cols};
}

__device__ __forceinline__ float4 load(const Row& row, int at) {
  if (at >= row.first && at + 4 <= row.last) return __ldg(reinterpret_cast<const float4*>(row.in + at));
  float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (at >= row.first && at < row.last) v.x = row.in[at];
  if (at + 1 >= row.first && at + 1 < row.last) v.y = row.in[at + 1];
  if (at + 2 >= row.first && at + 2 < row.last) v.z = row.in[at + 2];
  if (at + 3 >= row.first && at + 3 < row.last) v.w = row.in[at + 3];
  return v;
}

__device__ __forceinline__ void store(const Row& row, int at, const float4& v) {
  if (at >= row.first && at + 4 <= row.last) {
    *reinterpret_cast<float4*>(row.out + at) = v;
    return;
  }
  if (at >= row.first && at < row.last) row.out[at] = v.x;
  if (at + 1 >= row.first && at + 1 < row.last) row.out[at + 1] = v.y;
  if (at + 2 >= row.first && at + 2 < row.last) row.out[at + 2] = v.z;
  if (at + 3 >= row.first && at + 3 < row.last) row.out[at + 3] = v.w;
}

__device__ __forceinline__ float sum_up_to_lane(float value, int lane) {
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const float left = __shfl_up_sync(kFullMask, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

// What a warp has of a tile: kVectors stripes of 32 vectors, one behind the other.
struct Stripes {
  float4 v[kVectors];
};

__device__ __forceinline__ void load(Stripes& stripes, const Row& row, int at, int lane) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) stripes.v[i] = load(row, at + (i * 32 + lane) * 4);
}

// Sums within the warp's part; its total is returned to all lanes.
__device__ __forceinline__ float sum_up(Stripes& stripes, int lane) {
  float before[kVectors];  // sums of a stripe up to and including this lane
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    float4& v = stripes.v[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    before[i] = sum_up_to_lane(v.w, lane);
  }
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const float stripe = __shfl_sync(kFullMask, before[i], 31);
    const float left = __shfl_up_sync(kFullMask, before[i], 1);
    const float offset = total + (lane == 0 ? 0.0f : left);
    float4& v = stripes.v[i];
    v = make_float4(v.x + offset, v.y + offset, v.z + offset, v.w + offset);
    total += stripe;
  }
  return total;
}

__device__ __forceinline__ void store(const Stripes& stripes, const Row& row, int at, int lane, float carry) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const float4& v = stripes.v[i];
    store(row, at + (i * 32 + lane) * 4, make_float4(v.x + carry, v.y + carry, v.z + carry, v.w + carry));
  }
}

extern "C" __global__ void __launch_bounds__(256, 4)
cumsum_warp(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int number = blockIdx.x * 8 + threadIdx.x / 32;
  if (number >= rows) return;
  const int lane = threadIdx.x % 32;
  const Row row = row_of(x, y, number, cols);
  Stripes stripes;
  load(stripes, row, 0, lane);
  sum_up(stripes, lane);
  store(stripes, row, 0, lane, 0.0f);
}

// Tile by tile; the sums of earlier tiles are carried along.
template <int kThreads>
__device__ __forceinline__ void cumsum_row(const float* x, float* y, int cols) {
  constexpr int kWarps = kThreads / 32;
  constexpr int kTile = kThreads * kVectors * 4;
  __shared__ float totals[2][kWarps];
  const int lane = threadIdx.x % 32;
  const int own = threadIdx.x / 32;
  const Row row = row_of(x, y, blockIdx.x, cols);
  float carry = 0.0f;
  int turn = 0;
  for (int start = 0; start < row.last; start += kTile) {
    const int at = start + own * (kTile / kWarps);
    Stripes stripes;
    load(stripes, row, at, lane);
    const float total = sum_up(stripes, lane);
    if (lane == 0) totals[turn][own] = total;
    __syncthreads();
    float before = carry;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
      if (warp < own) before += totals[turn][warp];
      carry += totals[turn][warp];
    }
    store(stripes, row, at, lane, before);
    turn ^= 1;  // the next tile's totals must not meet late readers of this one's
  }
}

extern "C" __global__ void __launch_bounds__(160, 6)
cumsum_160(const float* __restrict__ x, float* __restrict__ y, int cols) {
  cumsum_row<160>(x, y, cols);
}
extern "C" __global__ void __launch_bounds__(256, 4)
cumsum_256(const float* __restrict__ x, float* __restrict__ y, int cols) {
  cumsum_row<256>(x, y, cols);
}

// ---- Wide rows: pieces of 8192 elements, a block for each ----

// The workspace: a ticket, then for each piece its sum with a mark that it is there.
extern "C" __global__ void __launch_bounds__(256)
cumsum_clear(unsigned long long* __restrict__ workspace, long long count) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < count) workspace[i] = 0;
}

// Pieces are taken in the order of the tickets, so that those before have a block that runs or has
// run. A piece needs no more than the sums of all pieces before it, which it adds up in an order
// that does not depend on time.
extern "C" __global__ void __launch_bounds__(256, 4)
cumsum_pieces(const float* __restrict__ x, float* __restrict__ y, unsigned long long* workspace, int cols,
              int pieces) {
  constexpr int kWarps = 8;
  constexpr int kPiece = 256 * kVectors * 4;
  __shared__ unsigned ticket;
  __shared__ float totals[kWarps];
  __shared__ float sums[kWarps];
  if (threadIdx.x == 0) {
    ticket = static_cast<unsigned>(atomicAdd(workspace, 1ull));
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int own = threadIdx.x / 32;
  const int number = static_cast<int>(ticket / static_cast<unsigned>(pieces));
  const int piece = static_cast<int>(ticket % static_cast<unsigned>(pieces));
  unsigned long long* marks = workspace + 1 + static_cast<size_t>(number) * pieces;
  const Row row = row_of(x, y, number, cols);
  const int at = piece * kPiece + own * (kPiece / kWarps);
  Stripes stripes;
  load(stripes, row, at, lane);
  const float total = sum_up(stripes, lane);
  if (lane == 0) totals[own] = total;
  __syncthreads();
  float within = 0.0f;
  float all = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    if (warp < own) within += totals[warp];
    all += totals[warp];
  }
  if (threadIdx.x == 0) {
    atomicExch(marks + piece, 1ull << 32 | __float_as_uint(all));
  }
  float sum = 0.0f;
  for (int i = threadIdx.x; i < piece; i += 256) {
    unsigned long long mark = 0;
    do {
      mark = *const_cast<volatile unsigned long long*>(marks + i);
    } while (mark == 0);
    sum += __uint_as_float(static_cast<unsigned>(mark));
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kFullMask, sum, offset);
  if (lane == 0) sums[own] = sum;
  __syncthreads();
  float before = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) before += sums[warp];
  store(stripes, row, at, lane, before + within);
}
