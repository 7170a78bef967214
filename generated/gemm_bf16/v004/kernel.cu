/* kernelloop:plan
{ "launches": [
    { "when": "k % 8 == 0 && n % 8 == 0 && m > 128 && ceil_div(m, 256) * ceil_div(n, 256) >= 48", "kernel": "gemm_tma",
      "grid": ["min(132, 2 * ceil_div(m, 256) * ceil_div(n, 256))"], "cluster": [2], "block": [384],
      "dynamic_shared_bytes": 230528,
      "args": [{ "tensor_map": { "tensor": "a", "box": [64, 128], "swizzle": "128B", "l2_promotion": "256B" } },
               { "tensor_map": { "tensor": "b", "box": [64, 128], "swizzle": "128B", "l2_promotion": "256B" } },
               { "tensor_map": { "tensor": "c", "box": [64, 64], "swizzle": "128B" } },
               "a", "b", "c", "m", "n", "k"] },
    { "when": "k % 8 == 0 && m <= 16", "kernel": "gemm_skinny", "grid": ["ceil_div(n, 32)"], "block": [256],
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "k % 8 == 0 && m > 16 && ceil_div(m, 128) * ceil_div(n, 128) >= 128 && (n % 8 != 0 || m <= 128 || ceil_div(m, 256) * ceil_div(n, 256) < 48)",
      "kernel": "gemm_wide", "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"], "block": [256],
      "dynamic_shared_bytes": 98304, "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "k % 8 == 0 && m > 16 && ceil_div(m, 128) * ceil_div(n, 128) < 128", "kernel": "gemm_narrow",
      "grid": ["ceil_div(m, 128) * ceil_div(n, 64)"], "block": [256], "dynamic_shared_bytes": 147456,
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "k % 8 != 0", "kernel": "gemm_any", "grid": ["ceil_div(m, 16) * ceil_div(n, 16)"],
      "block": [16, 16], "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

// ---- Instructions of the tensor cores, and what they do in terms of shuffles ----

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// 16 bytes to shared memory, or zeros.
__device__ __forceinline__ void copy_async(uint4* to, const void* from, bool valid) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// c += a b, 16 x 8 += 16 x 16 by 16 x 8.
__device__ __forceinline__ void multiply(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                         unsigned b0, unsigned b1) {
  asm(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Lines of 128 bytes, eight to a group of 1024, exchanged as place_of() does: what the instruction
// calls a swizzle of 128 bytes. `stage` begins at a multiple of 1024.
__device__ __forceinline__ unsigned long long descriptor_of(const uint4* stage) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(stage));
  return static_cast<unsigned long long>((address & 0x3ffffu) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
// Copies of this thread become visible to the tensor cores.
__device__ __forceinline__ void publish() { asm volatile("fence.proxy.async;" ::: "memory"); }

// c += a b, 64 x 64 += 64 x 16 by 16 x 64, by four warps; factors in shared memory.
__device__ __forceinline__ void multiply_group(float (&c)[32], unsigned long long a, unsigned long long b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
        "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
        "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
        "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
        "+f"(c[30]), "+f"(c[31])
      : "l"(a), "l"(b), "r"(1)
      : "memory");
}
// c += a b, 64 x 128 += 64 x 16 by 16 x 128, by four warps; factors in shared memory.
__device__ __forceinline__ void multiply_group(float (&c)[64], unsigned long long a, unsigned long long b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
        "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
        "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
        "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
        "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]),
        "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]),
        "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
        "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]),
        "+f"(c[54]), "+f"(c[55]), "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]),
        "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
      : "l"(a), "l"(b), "r"(1)
      : "memory");
}

// All 64 terms of a stage: 64 lines of `left` by kCols of `right`, which a group of four warps does at once.
template <int kCols>
__device__ __forceinline__ void multiply_stage(float (&c)[kCols / 2], const uint4* left, const uint4* right) {
  const unsigned long long a = descriptor_of(left);
  const unsigned long long b = descriptor_of(right);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int part = 0; part < 4; ++part) multiply_group(c, a + part * 2, b + part * 2);  // 32 bytes further
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#else

constexpr unsigned kFullMask = 0xffffffffu;

__device__ inline void copy_async(uint4* to, const void* from, bool valid) {
  *to = valid ? *static_cast<const uint4*>(from) : make_uint4(0u, 0u, 0u, 0u);
}
__device__ inline void commit() {}
template <int kPending>
__device__ inline void wait() {}

__device__ inline void load_matrices(unsigned (&r)[4], const uint4* row) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto own = static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(row));
  for (int i = 0; i < 4; ++i) {
    const unsigned long long other = __shfl_sync(kFullMask, own, i * 8 + lane / 4);
    r[i] = reinterpret_cast<const unsigned*>(static_cast<uintptr_t>(other))[lane % 4];
  }
}

__device__ inline float dot(unsigned a, unsigned b) {
  return __uint_as_float(a << 16) * __uint_as_float(b << 16) +
         __uint_as_float(a & 0xffff0000u) * __uint_as_float(b & 0xffff0000u);
}

__device__ inline void multiply(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                unsigned b0, unsigned b1) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int group = lane / 4;
  const int pair = lane % 4;
  for (int q = 0; q < 4; ++q) {
    const unsigned upper0 = __shfl_sync(kFullMask, a0, group * 4 + q);
    const unsigned lower0 = __shfl_sync(kFullMask, a1, group * 4 + q);
    const unsigned upper1 = __shfl_sync(kFullMask, a2, group * 4 + q);
    const unsigned lower1 = __shfl_sync(kFullMask, a3, group * 4 + q);
    for (int j = 0; j < 2; ++j) {
      const unsigned first = __shfl_sync(kFullMask, b0, (2 * pair + j) * 4 + q);
      const unsigned second = __shfl_sync(kFullMask, b1, (2 * pair + j) * 4 + q);
      c[j] += dot(upper0, first) + dot(upper1, second);
      c[2 + j] += dot(lower0, first) + dot(lower1, second);
    }
  }
}

__device__ inline int place_of(int line, int vector);

__device__ inline void publish() {}

template <int kCols>
__device__ inline void multiply_stage(float (&c)[kCols / 2], const uint4* left, const uint4* right) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32 % 4);
  for (int part = 0; part < 4; ++part) {
    unsigned x[4];
    load_matrices(x, left + place_of(warp * 16 + lane % 16, part * 2 + lane / 16));
    for (int j = 0; j < kCols / 16; ++j) {
      unsigned y[4];
      load_matrices(y, right + place_of(j * 16 + lane / 16 * 8 + lane % 8, part * 2 + lane / 8 % 2));
      float sums[2][4];
      for (int e = 0; e < 8; ++e) sums[e / 4][e % 4] = c[j * 8 + e];
      multiply(sums[0], x[0], x[1], x[2], x[3], y[0], y[1]);
      multiply(sums[1], x[0], x[1], x[2], x[3], y[2], y[3]);
      for (int e = 0; e < 8; ++e) c[j * 8 + e] = sums[e / 4][e % 4];
    }
  }
}

#endif

__device__ __forceinline__ unsigned packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// ---- Tiles of 128 rows and kCols columns by two groups of four warps, one above the other ----

// A line of a stage has 64 terms of a row, in eight vectors that are exchanged so that neither copies
// nor reads of the tensor cores have bank conflicts.
__device__ __forceinline__ int place_of(int line, int vector) { return line * 8 + (vector ^ (line % 8)); }

template <int kLines>
__device__ __forceinline__ void copy_lines(uint4* stage, const __nv_bfloat16* from, int first, int count, int k,
                                           int start) {
  const int vector = threadIdx.x % 8;
  const int term = start + vector * 8;
#pragma unroll
  for (int i = 0; i < kLines / 32; ++i) {
    const int line = threadIdx.x / 8 + i * 32;
    const bool valid = first + line < count && term < k;
    copy_async(stage + place_of(line, vector),
               valid ? from + static_cast<size_t>(first + line) * k + term : from, valid);
  }
}

template <int kCols, int kStages>
__device__ __forceinline__ void gemm_tile(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                                          int m, int n, int k) {
  constexpr int kStage = (128 + kCols) * 8;    // vectors
  extern __shared__ __align__(1024) uint4 stages[];
  const int rows_of_tiles = (m + 127) / 128;
  const int first_row = static_cast<int>(blockIdx.x % static_cast<unsigned>(rows_of_tiles)) * 128;
  const int first_col = static_cast<int>(blockIdx.x / static_cast<unsigned>(rows_of_tiles)) * kCols;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int group = warp / 4;
  const int steps = (k + 63) / 64;

#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < steps) {
      copy_lines<128>(stages + s * kStage, a, first_row, m, k, s * 64);
      copy_lines<kCols>(stages + s * kStage + 128 * 8, b, first_col, n, k, s * 64);
    }
    commit();
  }

  float sums[kCols / 2];
#pragma unroll
  for (int i = 0; i < kCols / 2; ++i) sums[i] = 0.0f;

  int now = 0;              // the stage that is multiplied
  int later = kStages - 1;  // the stage that is filled
  for (int step = 0; step < steps; ++step) {
    wait<kStages - 2>();
    publish();
    __syncthreads();  // everybody's copies are there, and nobody reads the stage that is filled next
    if (step + kStages - 1 < steps) {
      const int start = (step + kStages - 1) * 64;
      copy_lines<128>(stages + later * kStage, a, first_row, m, k, start);
      copy_lines<kCols>(stages + later * kStage + 128 * 8, b, first_col, n, k, start);
    }
    commit();
    const uint4* left = stages + now * kStage;
    const uint4* right = left + 128 * 8;
    multiply_stage<kCols>(sums, left + group * (64 * 8), right);
    now = now + 1 == kStages ? 0 : now + 1;
    later = later + 1 == kStages ? 0 : later + 1;
  }

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first_row + warp * 16 + half * 8 + lane / 4;
    if (row >= m) continue;
    __nv_bfloat16* out = c + static_cast<size_t>(row) * n;
#pragma unroll
    for (int j = 0; j < kCols / 8; ++j) {
      const int col = first_col + j * 8 + lane % 4 * 2;
      const float low = sums[j * 4 + half * 2];
      const float high = sums[j * 4 + half * 2 + 1];
      if (n % 2 == 0) {
        if (col < n) *reinterpret_cast<unsigned*>(out + col) = packed(low, high);
      } else {
        if (col < n) out[col] = __float2bfloat16_rn(low);
        if (col + 1 < n) out[col + 1] = __float2bfloat16_rn(high);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 2)
gemm_wide(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
          __nv_bfloat16* __restrict__ c, int m, int n, int k) {
  gemm_tile<128, 3>(a, b, c, m, n, k);
}
extern "C" __global__ void __launch_bounds__(256, 1)
gemm_narrow(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
            __nv_bfloat16* __restrict__ c, int m, int n, int k) {
  gemm_tile<64, 6>(a, b, c, m, n, k);
}

// ---- At most 16 rows: bound by reading b, which goes from memory into registers ----

__device__ __forceinline__ uint4 terms_of(const __nv_bfloat16* from, int line, int count, int term, int k) {
  if (line >= count || term >= k) return make_uint4(0u, 0u, 0u, 0u);
  return __ldg(reinterpret_cast<const uint4*>(from + static_cast<size_t>(line) * k + term));
}

// 32 columns for each block; its eight warps take a part of the terms each. A lane loads eight terms at
// a time, so that the terms of a product come in an order of their own, the same for a and b.
extern "C" __global__ void __launch_bounds__(256, 2)
gemm_skinny(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
            __nv_bfloat16* __restrict__ c, int m, int n, int k) {
  __shared__ float parts[8][16][33];
  const int first_col = static_cast<int>(blockIdx.x) * 32;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int group = lane / 4;
  const int own = lane % 4 * 8;
  const int share = (k + 511) / 512 * 64;  // terms for each warp
  const int end = min(k, (warp + 1) * share);
  float sums[4][4] = {};
  for (int start = warp * share; start < end; start += 64) {
    uint4 x[2][2];
    uint4 y[2][4];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const int term = start + u * 32 + own;
#pragma unroll
      for (int j = 0; j < 4; ++j) y[u][j] = terms_of(b, first_col + j * 8 + group, n, term, k);
      x[u][0] = terms_of(a, group, m, term, k);
      x[u][1] = terms_of(a, group + 8, m, term, k);
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        multiply(sums[j], x[u][0].x, x[u][1].x, x[u][0].y, x[u][1].y, y[u][j].x, y[u][j].y);
        multiply(sums[j], x[u][0].z, x[u][1].z, x[u][0].w, x[u][1].w, y[u][j].z, y[u][j].w);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      parts[warp][group + e / 2 * 8][j * 8 + lane % 4 * 2 + e % 2] = sums[j][e];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = threadIdx.x / 32 + i * 8;
    const int col = first_col + lane;
    float sum = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; ++w) sum += parts[w][row][lane];
    if (row < m && col < n) c[static_cast<size_t>(row) * n + col] = __float2bfloat16_rn(sum);
  }
}

// ---- Rows that do not begin at 16 bytes ----

extern "C" __global__ void __launch_bounds__(256)
gemm_any(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
         __nv_bfloat16* __restrict__ c, int64_t m, int64_t n, int64_t k) {
  constexpr int kTile = 16;
  __shared__ float left[kTile][kTile + 1];   // [row of c][term]
  __shared__ float right[kTile][kTile + 1];  // [column of c][term]
  const int64_t tiles_across = (n + kTile - 1) / kTile;
  const int64_t first_row = blockIdx.x / tiles_across * kTile;
  const int64_t first_col = blockIdx.x % tiles_across * kTile;
  const int64_t row = first_row + threadIdx.y;
  const int64_t col = first_col + threadIdx.x;
  float sum = 0.0f;
  for (int64_t start = 0; start < k; start += kTile) {
    // Terms beyond the end are zeros, which add nothing.
    const int64_t l = start + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = row < m && l < k ? __bfloat162float(a[row * k + l]) : 0.0f;
    const int64_t other = first_col + threadIdx.y;
    right[threadIdx.y][threadIdx.x] =
        other < n && l < k ? __bfloat162float(b[other * k + l]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = __float2bfloat16_rn(sum);
}

// ---- Large products: TMA feeds wgmma, in clusters of two blocks that share their columns ----

// What a launch passes for a tensor map; only the hardware reads it.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

constexpr int kCluster = 2;        // blocks one above the other, which share the lines of b that they load
constexpr int kTmaRows = 128;        // of c, for each block
constexpr int kTmaCols = 256;        // of c, for all blocks of a cluster
constexpr int kTmaTerms = 64;        // for each stage: one line of 128 bytes
constexpr int kTmaStages = 4;
constexpr int kLeftBytes = kTmaRows * kTmaTerms * 2;
constexpr int kRightBytes = kTmaCols * kTmaTerms * 2;
constexpr int kStageBytes = kLeftBytes + kRightBytes;
constexpr int kOutBytes = 64 * 64 * 2;  // a box of c on its way out
constexpr int kOutBoxes = 2;   // for each group of four warps
constexpr int kBandRows = 8;      // rows of tiles whose columns are walked together, for the sake of L2

// How the tiles of clusters lie in c, and in which order they come.
struct Tiling {
  int rows;    // of tiles
  int cols;    // of tiles of which more than half the columns exist
  int narrow;  // 1 where a column of tiles with fewer is left; it comes last, since it takes less time
  __device__ __forceinline__ Tiling(int m, int n)
      : rows((m + kCluster * kTmaRows - 1) / (kCluster * kTmaRows)),
        cols((n + kTmaCols / 2 - 1) / kTmaCols),
        narrow(n > cols * kTmaCols ? 1 : 0) {}
  __device__ __forceinline__ int count() const { return rows * (cols + narrow); }
};
struct TilePlace {
  int row;  // of c, of the cluster's first block
  int col;
};
// Bands of kBandRows rows of tiles, down the columns of each.
__device__ __forceinline__ TilePlace tile_place(int tile, const Tiling& tiling) {
  if (tile >= tiling.rows * tiling.cols) {
    return {(tile - tiling.rows * tiling.cols) * (kCluster * kTmaRows), tiling.cols * kTmaCols};
  }
  const int band = tile / (kBandRows * tiling.cols);
  const int inside = tile - band * kBandRows * tiling.cols;
  const int rows = min(kBandRows, tiling.rows - band * kBandRows);
  return {(band * kBandRows + inside % rows) * (kCluster * kTmaRows), inside / rows * kTmaCols};
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// c = a b + (add ? c : 0), 64 x 256, by four warps; factors in shared memory.
__device__ __forceinline__ void multiply_group(float (&c)[128], unsigned long long a, unsigned long long b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, 0;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
        "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
        "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
        "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
        "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]),
        "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]), "+f"(c[71]),
        "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]), "+f"(c[78]), "+f"(c[79]),
        "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]), "+f"(c[85]), "+f"(c[86]), "+f"(c[87]),
        "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]), "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]),
        "+f"(c[96]), "+f"(c[97]), "+f"(c[98]), "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]),
        "+f"(c[104]), "+f"(c[105]), "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]),
        "+f"(c[112]), "+f"(c[113]), "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]),
        "+f"(c[120]), "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127])
      : "l"(a), "l"(b), "r"(add)
      : "memory");
}

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
// At the same barrier of block `rank` of the cluster. Not .release.cluster: that is a fence of the whole
// device's memory at each step, and there is nothing to publish; the products that read the stage have ended.
__device__ __forceinline__ void barrier_arrive(unsigned barrier, int rank) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
// Not .acquire.cluster: that throws the cache away.
__device__ __forceinline__ void barrier_wait(unsigned barrier, int parity) {
  unsigned done = 0;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (done == 0);
}
// A box into shared memory of this block; it counts as bytes of `barrier`.
__device__ __forceinline__ void load_box(const TensorMap& map, unsigned to, unsigned barrier, int term, int line) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          to),
      "l"(&map), "r"(barrier), "r"(term), "r"(line)
      : "memory");
}
// The same into every block of the cluster, and each one's barrier.
__device__ __forceinline__ void load_box_for_all(const TensorMap& map, unsigned to, unsigned barrier, int term,
                                                 int line) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(term), "r"(line), "h"(static_cast<unsigned short>((1 << kCluster) - 1))
      : "memory");
}
__device__ __forceinline__ void store_box(const TensorMap& map, unsigned from, int col, int row) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(from),
               "r"(col), "r"(row)
               : "memory");
}
__device__ __forceinline__ void prefetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
// The four warps of a group.
__device__ __forceinline__ void group_sync(int group) {
  asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
}
// Four matrices of 8 x 8 elements, whose rows go where the lanes' addresses say.
__device__ __forceinline__ void store_matrices(unsigned to, unsigned r0, unsigned r1, unsigned r2, unsigned r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(r0), "r"(r1),
               "r"(r2), "r"(r3)
               : "memory");
}
__device__ __forceinline__ unsigned long long descriptor_at(unsigned address) {
  return static_cast<unsigned long long>((address & 0x3ffffu) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

// The stage that a thread is at, and how often the ring went round.
struct RingPlace {
  int stage = 0;
  int parity = 0;
  __device__ __forceinline__ void advance() {
    ++stage;
    if (stage == kTmaStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// One thread keeps the stages full. Each block of the cluster loads its own rows of a, and its share of the
// columns' lines of b for all.
__device__ __forceinline__ void feed(const TensorMap& a_map, const TensorMap& b_map, unsigned stages, unsigned full,
                                     unsigned empty, int rank, const Tiling& tiling, int steps) {
  RingPlace place;
  const int tiles = tiling.count();
  for (int tile = static_cast<int>(blockIdx.x / kCluster); tile < tiles; tile += static_cast<int>(gridDim.x / kCluster)) {
    const TilePlace at = tile_place(tile, tiling);
    for (int step = 0; step < steps; ++step) {
      const unsigned left = stages + place.stage * kStageBytes;
      const unsigned right = left + kLeftBytes;
      const unsigned filled = full + place.stage * 8;
      barrier_wait(empty + place.stage * 8, place.parity ^ 1);  // a fresh barrier's phase before the first has ended
      barrier_expect(filled, kStageBytes);
      load_box(a_map, left, filled, step * kTmaTerms, at.row + rank * kTmaRows);
      load_box_for_all(b_map, right + rank * (kRightBytes / kCluster), filled, step * kTmaTerms,
                       at.col + rank * (kTmaCols / kCluster));
      place.advance();
    }
  }
}

// A group's sums (64 rows) by way of shared memory to c, in boxes of 64 columns, whose stores go on while
// the next tile is multiplied. TMA leaves out what is beyond its edges.
template <int kCols>
__device__ __forceinline__ void put(const float (&sums)[kCols / 2], const TensorMap& c_map, unsigned out, int group,
                                    int row, int col) {
  const int thread = static_cast<int>(threadIdx.x % 128);
  const int lane = thread % 32;
  const int line = thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int box = 0; box < kCols / 64; ++box) {
    const unsigned to = out + box % kOutBoxes * kOutBytes;
    if (box == 0) {
      if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      group_sync(group);
    } else if (box >= kOutBoxes) {
      if (thread == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kOutBoxes - 1) : "memory");
      group_sync(group);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {  // 16 columns each
      const float* part = sums + box * 32 + j * 8;
      const int vector = (j * 2 + lane / 16) ^ (line % 8);
      store_matrices(to + line * 128 + vector * 16, packed(part[0], part[1]), packed(part[2], part[3]),
                     packed(part[4], part[5]), packed(part[6], part[7]));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    group_sync(group);
    if (thread == 0) {
      store_box(c_map, to, col + box * 64, row);
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
}

// What the groups that multiply share.
struct Ring {
  unsigned stages;
  unsigned full;
  unsigned empty;
  unsigned out;  // of this group
};

// A group of four warps multiplies 64 rows of the block's tile, of which it has kCols columns.
template <int kCols>
__device__ __forceinline__ void work_tile(const TensorMap& c_map, const Ring& ring, RingPlace& place, int group,
                                          int row, int col, int steps) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  float sums[kCols / 2];
  if (kCols < kTmaCols) {
#pragma unroll
    for (int i = 0; i < kCols / 2; ++i) sums[i] = 0.0f;
  }
  int before = 0;  // the stage whose products are still in flight
  for (int step = 0; step < steps; ++step) {
    barrier_wait(ring.full + place.stage * 8, place.parity);
    const unsigned left = ring.stages + place.stage * kStageBytes;
    const unsigned long long a = descriptor_at(left + group * (64 * kTmaTerms * 2));
    const unsigned long long b = descriptor_at(left + kLeftBytes);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int part = 0; part < 4; ++part) {  // 32 bytes further each
      if constexpr (kCols < kTmaCols) {
        multiply_group(sums, a + part * 2, b + part * 2);
      } else {
        multiply_group(sums, a + part * 2, b + part * 2, step != 0 || part != 0);
      }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (step > 0) {
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (lane < kCluster) barrier_arrive(ring.empty + before * 8, lane);
    }
    before = place.stage;
    place.advance();
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  if (lane < kCluster) barrier_arrive(ring.empty + before * 8, lane);
  put<kCols>(sums, c_map, ring.out, group, row, col);
}

__device__ __forceinline__ void work(const TensorMap& c_map, const Ring& ring, int group, int rank, int n,
                                     const Tiling& tiling, int steps) {
  RingPlace place;
  const int tiles = tiling.count();
  for (int tile = static_cast<int>(blockIdx.x / kCluster); tile < tiles; tile += static_cast<int>(gridDim.x / kCluster)) {
    const TilePlace at = tile_place(tile, tiling);
    const int row = at.row + rank * kTmaRows + group * 64;
    if (n - at.col > 128) {
      work_tile<256>(c_map, ring, place, group, row, at.col, steps);
    } else if (n - at.col > 64) {
      work_tile<128>(c_map, ring, place, group, row, at.col, steps);
    } else {
      work_tile<64>(c_map, ring, place, group, row, at.col, steps);
    }
  }
  if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif

// The pointers are for devices without TMA.
extern "C" __global__ void __launch_bounds__(384, 1)
gemm_tma(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
         const __grid_constant__ TensorMap c_map, const __nv_bfloat16* __restrict__ a,
         const __nv_bfloat16* __restrict__ b, __nv_bfloat16* __restrict__ c, int m, int n, int k) {
  const Tiling tiling(m, n);
  const int rank = static_cast<int>(blockIdx.x % kCluster);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ uint4 memory[];
  __shared__ uint64_t barriers[2 * kTmaStages];
  const unsigned stages = (shared_address(memory) + 1023u) & ~1023u;
  const unsigned out = stages + kTmaStages * kStageBytes;
  const unsigned full = shared_address(barriers);
  const unsigned empty = full + kTmaStages * 8;
  const int steps = (k + kTmaTerms - 1) / kTmaTerms;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kTmaStages; ++s) {
      barrier_init(full + s * 8, 1);
      barrier_init(empty + s * 8, 8 * kCluster);  // every multiplying warp of the cluster
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  const int group = static_cast<int>(threadIdx.x / 128);
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 256) {
      prefetch_map(a_map);
      prefetch_map(b_map);
      prefetch_map(c_map);
      feed(a_map, b_map, stages, full, empty, rank, tiling, steps);
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const Ring ring{stages, full, empty, out + group * (kOutBoxes * kOutBytes)};
    work(c_map, ring, group, rank, n, tiling, steps);
  }
  cluster_sync();  // neither block ends while the other may write into its shared memory
#else
  const int tiles = tiling.count();
  for (int tile = static_cast<int>(blockIdx.x / kCluster); tile < tiles; tile += static_cast<int>(gridDim.x / kCluster)) {
    const TilePlace at = tile_place(tile, tiling);
    for (int i = static_cast<int>(threadIdx.x); i < kTmaRows * kTmaCols; i += static_cast<int>(blockDim.x)) {
      const int row = at.row + rank * kTmaRows + i / kTmaCols;
      const int col = at.col + i % kTmaCols;
      if (row >= m || col >= n) continue;
      float sum = 0.0f;
      for (int l = 0; l < k; ++l) {
        sum += __bfloat162float(a[static_cast<size_t>(row) * k + l]) *
               __bfloat162float(b[static_cast<size_t>(col) * k + l]);
      }
      c[static_cast<size_t>(row) * n + col] = __float2bfloat16_rn(sum);
    }
  }
#endif
}
