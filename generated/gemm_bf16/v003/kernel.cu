/* kernelloop:plan
{ "launches": [
    { "when": "k % 8 == 0 && m <= 16", "kernel": "gemm_skinny", "grid": ["ceil_div(n, 32)"], "block": [256],
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "k % 8 == 0 && m > 16 && ceil_div(m, 128) * ceil_div(n, 128) >= 128", "kernel": "gemm_wide",
      "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"], "block": [256], "dynamic_shared_bytes": 98304,
      "args": ["a", "b", "c", "m", "n", "k"] },
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
