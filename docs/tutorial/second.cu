/* kernelloop:plan
{ "launches": [
    { "when": "n % 4 == 0", "kernel": "axpy_vectors", "grid": ["ceil_div(n / 4, 256)"], "block": [256],
      "args": ["alpha", "x", "y", "z", "n / 4"] },
    { "when": "n % 4 != 0", "kernel": "axpy", "grid": ["ceil_div(n, 256)"], "block": [256],
      "args": ["alpha", "x", "y", "z", "n"] } ] }
*/
extern "C" __global__ void axpy_vectors(float alpha, const float4* x, const float4* y, float4* z,
                                        int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 a = x[i];
  const float4 b = y[i];
  z[i] = make_float4(alpha * a.x + b.x, alpha * a.y + b.y, alpha * a.z + b.z, alpha * a.w + b.w);
}

extern "C" __global__ void axpy(float alpha, const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + y[i];
}
