/* kernelloop:plan
{ "launches": [
    { "kernel": "axpy", "grid": ["ceil_div(n, 256)"], "block": [256],
      "args": ["alpha", "x", "y", "z", "n"] } ] }
*/
extern "C" __global__ void axpy(float alpha, const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + y[i];
}
