// A traced build, as tools/compile makes it: each block works for a known time in known scopes.
#include <kernelloop/trace.cuh>

namespace {

__device__ void spin(long long nanoseconds) {
  unsigned long long begin = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < static_cast<unsigned long long>(nanoseconds));
}

}  // namespace

// Warp 0 "loads" for 20 us and waits for 60 us, the other warps "work" for 60 us; block 0 takes
// longer by 100 us.
extern "C" __global__ void scheduled(const float* x, float* y, int n) {
  KERNELLOOP_TRACE_KERNEL
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (threadIdx.x < 32) {
    KL_TRACE_BEGIN("load");
    spin(20000);
    KL_TRACE_END("load");
    spin(60000);
  } else {
    KL_TRACE_SCOPE("work");
    spin(60000);
  }
  if (blockIdx.x == 0) {
    KL_TRACE_SCOPE("late");
    spin(100000);
  }
  KL_TRACE_INSTANT("done");
  if (i < n) y[i] = 2.0f * x[i];
}

extern "C" __global__ void many_marks(const float* x, float* y, int n) {
  KERNELLOOP_TRACE_KERNEL
  for (int k = 0; k < 1000; ++k) {
    KL_TRACE_SCOPE("step");
  }
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = 2.0f * x[i];
}

extern "C" __global__ void quick(const float* x, float* y, int n) {
  KERNELLOOP_TRACE_KERNEL
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = 2.0f * x[i];
  KL_TRACE_INSTANT("done");
}
