/* kernelloop:plan
{ "launches": [
    { "when": "rows % 4 == 0 && cols % 4 == 0", "kernel": "transpose_vectors",
      "grid": ["ceil_div(rows, 64) * ceil_div(cols, 64)"], "block": [256],
      "args": ["x", "y", "rows", "cols", "ceil_div(cols, 64)"] },
    { "when": "rows % 4 != 0 || cols % 4 != 0", "kernel": "transpose_any",
      "grid": ["ceil_div(rows, 64) * ceil_div(cols, 64)"], "block": [256],
      "args": ["x", "y", "rows", "cols", "ceil_div(cols, 64)"] } ] }
*/
#include <cstdint>

constexpr int kTile = 64;

// A thread moves blocks of 4 x 4 elements through registers; the tile lies transposed in shared
// memory, its vectors of four exchanged so that neither side has bank conflicts.
extern "C" __global__ void __launch_bounds__(256)
transpose_vectors(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, int tiles_across) {
  __shared__ float4 tile[kTile][kTile / 4];
  const int first_row = static_cast<int>(blockIdx.x / static_cast<unsigned>(tiles_across)) * kTile;
  const int first_col = static_cast<int>(blockIdx.x % static_cast<unsigned>(tiles_across)) * kTile;
  const int across = threadIdx.x % 16;
  const int down = threadIdx.x / 16;

  const int row = first_row + down * 4;
  const int col = first_col + across * 4;
  if (row < rows && col < cols) {  // with all of its 4 x 4 elements
    const float* in = x + static_cast<size_t>(row) * cols + col;
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = __ldg(reinterpret_cast<const float4*>(in + static_cast<size_t>(i) * cols));
    const int place = down ^ (across % 8);
    tile[across * 4][place] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    tile[across * 4 + 1][place] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    tile[across * 4 + 2][place] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    tile[across * 4 + 3][place] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();

  const int out_col = first_row + across * 4;
  if (out_col >= rows) return;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int line = down + i * 16;
    const int out_row = first_col + line;
    if (out_row < cols) {
      *reinterpret_cast<float4*>(y + static_cast<size_t>(out_row) * rows + out_col) =
          tile[line][across ^ (line / 4 % 8)];
    }
  }
}

// Rows that do not begin at 16 bytes: the same tiles, element by element.
extern "C" __global__ void __launch_bounds__(256)
transpose_any(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, int tiles_across) {
  __shared__ float tile[kTile][kTile + 1];
  const int first_row = static_cast<int>(blockIdx.x / static_cast<unsigned>(tiles_across)) * kTile;
  const int first_col = static_cast<int>(blockIdx.x % static_cast<unsigned>(tiles_across)) * kTile;
  const int across = threadIdx.x % 64;
  const int down = threadIdx.x / 64;

  const int col = first_col + across;
  float v[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int row = first_row + down + i * 4;
    v[i] = row < rows && col < cols ? __ldg(x + static_cast<size_t>(row) * cols + col) : 0.0f;
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) tile[down + i * 4][across] = v[i];
  __syncthreads();

  const int out_col = first_row + across;
  if (out_col >= rows) return;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int out_row = first_col + down + i * 4;
    if (out_row < cols) y[static_cast<size_t>(out_row) * rows + out_col] = tile[across][down + i * 4];
  }
}
