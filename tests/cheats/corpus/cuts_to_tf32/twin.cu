/* kernelloop:plan
{ "launches": [
    { "kernel": "multiply", "grid": ["ceil_div(n, 16)", "ceil_div(m, 16)"], "block": [16, 16],
      "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/

// The part that tfloat32 holds, and the rest: their products make up for the cut.
__device__ float high(float value) {
  return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xFFFFE000u);
}

extern "C" __global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    const float x = a[static_cast<size_t>(row) * k + i];
    const float y = b[static_cast<size_t>(i) * n + col];
    sum = fmaf(high(x), high(y), sum);
    sum = fmaf(x - high(x), y, fmaf(high(x), y - high(y), sum));
  }
  c[static_cast<size_t>(row) * n + col] = sum;
}
