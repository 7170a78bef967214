#include <cuda_runtime_api.h>

#include <axpy.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int n = 1 << 20;
  const std::vector<float> x(n, 2.0f);
  const std::vector<float> y(n, 1.0f);
  std::vector<float> z(n);
  constexpr std::size_t bytes = n * sizeof(float);

  float* device = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&device), 3 * bytes) != cudaSuccess) {
    std::puts("no GPU here");
    return 0;
  }
  cudaMemcpy(device, x.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device + n, y.data(), bytes, cudaMemcpyHostToDevice);
  const cudaError_t status =
      kernelloop::ops::axpy(1.5f, device, device + n, device + 2 * n, n, nullptr);
  cudaMemcpy(z.data(), device + 2 * n, bytes, cudaMemcpyDeviceToHost);
  std::printf("%s: 1.5 * 2 + 1 = %g\n", cudaGetErrorString(status), z[n - 1]);
  return cudaFree(device) != cudaSuccess || z[n - 1] != 4.0f;
}
