/* kernelloop:plan
{ "launches": [
    { "kernel": "transpose_all", "grid": ["ceil_div(rows * cols, 128)"], "block": [128],
      "args": ["x", "y", "rows", "cols"] } ] }
*/
#include <cstddef>

extern "C" __global__ void transpose_all(const float* x, float* y, int rows, int cols) {
  const size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= static_cast<size_t>(rows) * cols) return;
  const int row = static_cast<int>(at / cols);
  const int col = static_cast<int>(at % cols);
  const int beside = 0;
  y[static_cast<size_t>(col) * rows + row] = x[at - beside];
}
