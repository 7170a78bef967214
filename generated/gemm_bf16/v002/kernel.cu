/* kernelloop:plan
{ "launches": [
    { "when": "k % 8 == 0 && m <= 16", "kernel": "gemm_skinny", "grid": ["ceil_div(n, 32)"], "block": [256],
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "k % 8 == 0 && m > 16 && ceil_div(m, 128) * ceil_div(n, 128) >= 128", "kernel": "gemm_wide",
      "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"], "block": [128], "dynamic_shared_bytes": 98304,
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "k % 8 == 0 && m > 16 && ceil_div(m, 128) * ceil_div(n, 128) < 128", "kernel": "gemm_narrow",
      "grid": ["ceil_div(m, 128) * ceil_div(n, 64)"], "block": [128], "dynamic_shared_bytes": 147456,
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

// Four matrices of 8 x 8; each lane gives the address of one of their rows.
__device__ __forceinline__ void load_matrices(unsigned (&r)[4], const uint4* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
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

#endif

__device__ __forceinline__ unsigned packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// ---- Tiles of 128 rows and kCols columns by a block of four warps, two by two ----

// A line of a stage has 64 terms of a row, in eight vectors that are exchanged so that neither copies
// nor loads of matrices have bank conflicts.
__device__ __forceinline__ int place_of(int line, int vector) { return line * 8 + (vector ^ (line % 8)); }

template <int kLines>
__device__ __forceinline__ void copy_lines(uint4* stage, const __nv_bfloat16* from, int first, int count, int k,
                                           int start) {
  const int vector = threadIdx.x % 8;
  const int term = start + vector * 8;
#pragma unroll
  for (int i = 0; i < kLines / 16; ++i) {
    const int line = threadIdx.x / 8 + i * 16;
    const bool valid = first + line < count && term < k;
    copy_async(stage + place_of(line, vector),
               valid ? from + static_cast<size_t>(first + line) * k + term : from, valid);
  }
}

template <int kCols, int kStages>
__device__ __forceinline__ void gemm_tile(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                                          int m, int n, int k) {
  constexpr int kPairs = kCols / 32;           // of tiles of 8 columns, for each warp
  constexpr int kStage = (128 + kCols) * 8;    // vectors
  extern __shared__ uint4 stages[];
  const int rows_of_tiles = (m + 127) / 128;
  const int first_row = static_cast<int>(blockIdx.x % static_cast<unsigned>(rows_of_tiles)) * 128;
  const int first_col = static_cast<int>(blockIdx.x / static_cast<unsigned>(rows_of_tiles)) * kCols;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp % 2 * 64;
  const int warp_col = warp / 2 * (kCols / 2);
  const int steps = (k + 63) / 64;

#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < steps) {
      copy_lines<128>(stages + s * kStage, a, first_row, m, k, s * 64);
      copy_lines<kCols>(stages + s * kStage + 128 * 8, b, first_col, n, k, s * 64);
    }
    commit();
  }

  float sums[4][2 * kPairs][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 2 * kPairs; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[i][j][e] = 0.0f;
    }
  }

  int now = 0;              // the stage that is multiplied
  int later = kStages - 1;  // the stage that is filled
  for (int step = 0; step < steps; ++step) {
    wait<kStages - 2>();
    __syncthreads();  // everybody's copies are there, and nobody reads the stage that is filled next
    if (step + kStages - 1 < steps) {
      const int start = (step + kStages - 1) * 64;
      copy_lines<128>(stages + later * kStage, a, first_row, m, k, start);
      copy_lines<kCols>(stages + later * kStage + 128 * 8, b, first_col, n, k, start);
    }
    commit();
    const uint4* left = stages + now * kStage;
    const uint4* right = left + 128 * 8;
    // The next 16 terms' matrices are loaded while these are multiplied.
    unsigned x[2][4][4];
    unsigned y[2][kPairs][4];
    const auto load = [&](int part) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        load_matrices(x[part % 2][i],
                      left + place_of(warp_row + i * 16 + lane % 16, part * 2 + lane / 16));
      }
#pragma unroll
      for (int j = 0; j < kPairs; ++j) {
        load_matrices(y[part % 2][j], right + place_of(warp_col + j * 16 + lane / 16 * 8 + lane % 8,
                                                       part * 2 + lane / 8 % 2));
      }
    };
    load(0);
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      if (part < 3) load(part + 1);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const unsigned(&u)[4] = x[part % 2][i];
#pragma unroll
        for (int j = 0; j < kPairs; ++j) {
          const unsigned(&w)[4] = y[part % 2][j];
          multiply(sums[i][2 * j], u[0], u[1], u[2], u[3], w[0], w[1]);
          multiply(sums[i][2 * j + 1], u[0], u[1], u[2], u[3], w[2], w[3]);
        }
      }
    }
    now = now + 1 == kStages ? 0 : now + 1;
    later = later + 1 == kStages ? 0 : later + 1;
  }

#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + warp_row + i * 16 + half * 8 + lane / 4;
      if (row >= m) continue;
      __nv_bfloat16* out = c + static_cast<size_t>(row) * n;
#pragma unroll
      for (int j = 0; j < 2 * kPairs; ++j) {
        const int col = first_col + warp_col + j * 8 + lane % 4 * 2;
        const float low = sums[i][j][half * 2];
        const float high = sums[i][j][half * 2 + 1];
        if (n % 2 == 0) {
          if (col < n) *reinterpret_cast<unsigned*>(out + col) = packed(low, high);
        } else {
          if (col < n) out[col] = __float2bfloat16_rn(low);
          if (col + 1 < n) out[col + 1] = __float2bfloat16_rn(high);
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(128, 2)
gemm_wide(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
          __nv_bfloat16* __restrict__ c, int m, int n, int k) {
  gemm_tile<128, 3>(a, b, c, m, n, k);
}
extern "C" __global__ void __launch_bounds__(128, 1)
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
