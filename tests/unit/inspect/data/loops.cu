// Recorded as loops.ptx (nvcc -lineinfo -arch=sm_90a), loops.nvdisasm.txt (nvdisasm --print-code
// --print-line-info-inline) and loops.cuobjdump.txt (cuobjdump -sass).
__device__ float twice(float x) { return x + x; }

extern "C" __global__ void straight(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void nested(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[256];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0.0f;
#pragma unroll 1
    for (int column = 0; column < columns; column += 256) {
      tile[threadIdx.x] = in[row * columns + column + threadIdx.x];
      __syncthreads();
      sum += exp2f(tile[(threadIdx.x * 7) % 256]) * twice(tile[threadIdx.x]);
      __syncthreads();
    }
#pragma unroll 1
    for (int i = 0; i < rows; ++i) sum = sum * sum + 1.0f;
    out[row * 256 + threadIdx.x] = sum;
  }
}
