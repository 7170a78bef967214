#include <cuda_bf16.h>
template <class T>
__device__ T twice(T v) {
  return v + not_declared(v);
}
extern "C" __global__ void k(float* y, int n) {
  float idle = 3;
  y[0] = twice<float>(1.0f) + twice<double>(2.0);
	y[1] = absent;
  int i = y;
  if (n = 3) y[2] = 1;
}
