/* kernelloop:plan
{ "launches": [
    { "kernel": "tiles", "grid": ["rows * ceil_div(cols, 256)"], "block": [32],
      "args": ["x", "y", "cols"] } ] }
*/
extern "C" __global__ void tiles(const float* x, float* y, int cols) {
  const int tiles_of_row = (cols + 255) / 256;
  const int tile = blockIdx.x % tiles_of_row;
  const size_t row = blockIdx.x / tiles_of_row;
  const float* in = x + row * cols;
  float* out = y + row * cols;
  if (threadIdx.x != 0) return;
  float sum = 0.0f;
  for (int i = 0; i < tile * 256; ++i) sum += in[i];
  for (int i = tile * 256; i < min(cols, tile * 256 + 256); ++i) {
    sum += in[i];
    out[i] = sum;
  }
}
