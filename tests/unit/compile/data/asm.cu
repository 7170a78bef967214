extern "C" __global__ void first(float* y) { y[threadIdx.x] = 1; }
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128, 1, 4) clash() {}
__device__ __forceinline__ int odd(int n) {
  int r;
  asm volatile("bogus.op.s32 %0, %1;" : "=r"(r) : "r"(n));
  return r;
}
extern "C" __global__ void k(float* y, int n) {
  y[0] = n;
  y[1] = odd(n);
}
