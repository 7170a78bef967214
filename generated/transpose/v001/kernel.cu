/* kernelloop:plan
{ "launches": [
    { "kernel": "transpose_tiles", "grid": ["ceil_div(rows, 32) * ceil_div(cols, 32)"], "block": [32, 8],
      "args": ["x", "y", "rows", "cols"] } ] }
*/
#include <cstdint>

constexpr int kTile = 32;
constexpr int kRows = 8;  // of threads

extern "C" __global__ void __launch_bounds__(kTile * kRows)
transpose_tiles(const float* __restrict__ x, float* __restrict__ y, int64_t rows,
                int64_t cols) {
  __shared__ float tile[kTile][kTile + 1];
  const int64_t tiles_across = (cols + kTile - 1) / kTile;
  const int64_t first_row = blockIdx.x / tiles_across * kTile;
  const int64_t first_col = blockIdx.x % tiles_across * kTile;
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int64_t row = first_row + i;
    const int64_t col = first_col + threadIdx.x;
    if (row < rows && col < cols) tile[i][threadIdx.x] = x[row * cols + col];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int64_t row = first_row + threadIdx.x;
    const int64_t col = first_col + i;
    if (row < rows && col < cols) y[col * rows + row] = tile[threadIdx.x][i];
  }
}
