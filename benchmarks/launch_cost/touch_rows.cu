/* kernelloop:plan
{ "launches": [
    { "when": "cols <= 8192", "kernel": "touch_rows", "grid": ["rows"],
      "block": ["min(256, 32 * ceil_div(cols, 32))"], "dynamic_shared_bytes": "cols * 4",
      "args": ["x", "y", "rows", "cols"] },
    { "when": "cols > 8192", "kernel": "touch_long_rows", "grid": ["rows", "ceil_div(cols, 8192)"],
      "block": [256], "args": ["x", "y", "cols"] } ] }
*/
// A plan like that of a real operator (two variants, computed sizes) around next to no work.
extern "C" __global__ void touch_rows(const float* x, float* y, int rows, int cols) {
  extern __shared__ float row[];
  if (static_cast<int>(blockIdx.x) >= rows) return;
  const long long base = static_cast<long long>(blockIdx.x) * cols;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    row[i] = x[base + i];
    y[base + i] = row[i];
  }
}

extern "C" __global__ void touch_long_rows(const float* x, float* y, long long cols) {
  const long long begin = static_cast<long long>(blockIdx.y) * 8192;
  const long long end = begin + 8192 < cols ? begin + 8192 : cols;
  const long long base = static_cast<long long>(blockIdx.x) * cols;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) y[base + i] = x[base + i];
}
