/* kernelloop:plan
{ "launches": [
    { "when": "k % 4 == 0 && n % 4 == 0 && ceil_div(m, 128) * ceil_div(n, 128) >= 128",
      "kernel": "gemm_128_vectors", "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"], "block": [256],
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "k % 4 == 0 && n % 4 == 0 && ceil_div(m, 128) * ceil_div(n, 128) < 128",
      "kernel": "gemm_64_vectors", "grid": ["ceil_div(m, 128) * ceil_div(n, 64)"], "block": [256],
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "(k % 4 != 0 || n % 4 != 0) && ceil_div(m, 128) * ceil_div(n, 128) >= 128",
      "kernel": "gemm_128_any", "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"], "block": [256],
      "args": ["a", "b", "c", "m", "n", "k"] },
    { "when": "(k % 4 != 0 || n % 4 != 0) && ceil_div(m, 128) * ceil_div(n, 128) < 128",
      "kernel": "gemm_64_any", "grid": ["ceil_div(m, 128) * ceil_div(n, 64)"], "block": [256],
      "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/

constexpr int kRows = 128;
constexpr int kDepth = 16;  // terms of a step

// Four elements of a line from a column on; beyond the ends they are zeros. kWhole: all of them are on
// the same side of the end, and begin at 16 bytes.
template <bool kWhole>
__device__ __forceinline__ float4 elements(const float* from, int line, int lines, int col, int cols) {
  float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (line >= lines || col >= cols) return v;
  const float* at = from + static_cast<size_t>(line) * cols + col;
  if (kWhole) return __ldg(reinterpret_cast<const float4*>(at));
  v.x = __ldg(at);
  if (col + 1 < cols) v.y = __ldg(at + 1);
  if (col + 2 < cols) v.z = __ldg(at + 2);
  if (col + 3 < cols) v.w = __ldg(at + 3);
  return v;
}

// 128 x kCols results by 256 threads, 16 by 16, each with 8 rows and kCols / 16 columns in groups of
// four. The next step's factors are loaded into registers while this one's are multiplied.
template <int kCols, bool kWhole>
__device__ __forceinline__ void gemm_tile(const float* a, const float* b, float* c, int m, int n, int k) {
  constexpr int kGroups = kCols / 64;          // of four columns, for each thread
  constexpr int kPitch = kRows + 4;
  __shared__ float4 left[2][kDepth][kPitch / 4];   // transposed: [term][row]
  __shared__ float4 right[2][kDepth][kCols / 4];   // [term][column]
  const int tiles_down = (m + kRows - 1) / kRows;
  const int first_row = static_cast<int>(blockIdx.x % static_cast<unsigned>(tiles_down)) * kRows;
  const int first_col = static_cast<int>(blockIdx.x / static_cast<unsigned>(tiles_down)) * kCols;
  const int across = threadIdx.x % 16;
  const int down = threadIdx.x / 16;
  // What this thread copies of both factors.
  const int a_row = threadIdx.x / 4;
  const int a_term = threadIdx.x % 4 * 4;
  const int b_term = threadIdx.x / (kCols / 4);
  const int b_col = threadIdx.x % (kCols / 4) * 4;
  constexpr int kTerms = 256 / (kCols / 4);  // of b that the block copies at a time

  float4 x[2];
  float4 y[kGroups];
  const auto fetch = [&](int start) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      x[i] = elements<kWhole>(a, first_row + a_row + i * 64, m, start + a_term, k);
    }
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      y[i] = elements<kWhole>(b, start + b_term + i * kTerms, k, first_col + b_col, n);
    }
  };
  const auto put = [&](int stage) {
    float* to = reinterpret_cast<float*>(left[stage]);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float* at = to + a_term * kPitch + a_row + i * 64;
      at[0] = x[i].x;
      at[kPitch] = x[i].y;
      at[2 * kPitch] = x[i].z;
      at[3 * kPitch] = x[i].w;
    }
#pragma unroll
    for (int i = 0; i < kGroups; ++i) right[stage][b_term + i * kTerms][b_col / 4] = y[i];
  };

  float sums[8][4 * kGroups];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 4 * kGroups; ++j) sums[i][j] = 0.0f;
  }
  fetch(0);
  put(0);
  __syncthreads();
  int stage = 0;
  for (int start = 0; start < k; start += kDepth) {
    const bool more = start + kDepth < k;
    if (more) fetch(start + kDepth);
#pragma unroll
    for (int term = 0; term < kDepth; ++term) {
      const float4 u0 = left[stage][term][down];
      const float4 u1 = left[stage][term][16 + down];
      const float u[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const float4 v = right[stage][term][g * 16 + across];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          sums[i][g * 4] = fmaf(u[i], v.x, sums[i][g * 4]);
          sums[i][g * 4 + 1] = fmaf(u[i], v.y, sums[i][g * 4 + 1]);
          sums[i][g * 4 + 2] = fmaf(u[i], v.z, sums[i][g * 4 + 2]);
          sums[i][g * 4 + 3] = fmaf(u[i], v.w, sums[i][g * 4 + 3]);
        }
      }
    }
    if (more) {
      put(stage ^ 1);  // which all have left, before the last barrier
      __syncthreads();
    }
    stage ^= 1;
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = first_row + i / 4 * 64 + down * 4 + i % 4;
    if (row >= m) continue;
    float* out = c + static_cast<size_t>(row) * n;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const int col = first_col + g * 64 + across * 4;
      const float* s = sums[i] + g * 4;
      if (kWhole) {
        if (col < n) *reinterpret_cast<float4*>(out + col) = make_float4(s[0], s[1], s[2], s[3]);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (col + e < n) out[col + e] = s[e];
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 2)
gemm_128_vectors(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
                 int k) {
  gemm_tile<128, true>(a, b, c, m, n, k);
}
extern "C" __global__ void __launch_bounds__(256, 2)
gemm_64_vectors(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
                int k) {
  gemm_tile<64, true>(a, b, c, m, n, k);
}
extern "C" __global__ void __launch_bounds__(256, 2)
gemm_128_any(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
             int k) {
  gemm_tile<128, false>(a, b, c, m, n, k);
}
extern "C" __global__ void __launch_bounds__(256, 2)
gemm_64_any(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  gemm_tile<64, false>(a, b, c, m, n, k);
}
