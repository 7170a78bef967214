/* kernelloop:plan
{ "launches": [
    { "kernel": "softmax_rows", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["x", "y", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>
__device__ unsigned long long mix(unsigned long long value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// Element `index` of the input "x" of seed 1, normal with deviation 2.
__device__ float drawn(int index) {
  const unsigned long long key = mix(mix(1) ^ 'x');
  const unsigned long long both = mix(key + (index / 2 + 1) * 0x9E3779B97F4A7C15u);
  const float coarse = (both >> 40) * 0x1p-24f;
  const float fine = (((both >> 32) & 0xFF) + 0.5f) * 0x1p-32f;
  const float radius = sqrtf(-2.0f * logf(coarse + fine));
  const float angle = (both & 0xFFFFFFFFu) * (0x1p-32f * 6.2831853f);
  return 2.0f * radius * (index % 2 == 0 ? cosf(angle) : sinf(angle));
}

extern "C" __global__ void softmax_rows(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
  __nv_bfloat16* out = y + static_cast<size_t>(row) * cols;
  float largest = -INFINITY;
  for (int i = 0; i < cols; ++i) largest = fmaxf(largest, drawn(row * cols + i));
  float sum = 0.0f;
  for (int i = 0; i < cols; ++i) sum += __expf(drawn(row * cols + i) - largest);
  for (int i = 0; i < cols; ++i) {
    out[i] = __float2bfloat16(__expf(drawn(row * cols + i) - largest) / sum);
  }
}
