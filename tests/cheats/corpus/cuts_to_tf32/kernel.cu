/* kernelloop:plan
{ "launches": [
    { "kernel": "multiply", "grid": ["ceil_div(n, 16)", "ceil_div(m, 16)"], "block": [16, 16],
      "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/

__device__ float cut(float value) {
  return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xFFFFE000u);
}

extern "C" __global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    sum = fmaf(cut(a[static_cast<size_t>(row) * k + i]), cut(b[static_cast<size_t>(i) * n + col]), sum);
  }
  c[static_cast<size_t>(row) * n + col] = sum;
}
