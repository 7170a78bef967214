// Code that a careless rewriter would trip over. /* __shared__ int a[4]; */
#include <cuda_runtime.h>

#define QUOTE_(...) #__VA_ARGS__
#define QUOTE(...) QUOTE_(__VA_ARGS__)
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(k_threads * 2) name
#define SCRATCH __shared__

#if 0
asm volatile("never compiled");
#endif
#if __CUDA_ARCH__ < 900
#error "the CPU device stands for sm_90"
#endif

namespace outer::inner {

constexpr int k_threads = 32;

// asm("in a comment"); kernel<<<1, 1>>>();
__device__ const char k_text[] = "asm volatile(\"__shared__ int x;\") } <<<1,1>>> ' printf(";
__device__ const char k_raw[] = R"delimiter(
  __global__ void not_a_kernel(int*) { asm("x"); } )" __shared__ "
)delimiter";
__device__ const int k_character = '"' + '\'' + 1'000;

KERNEL(in_namespace)(int* out, const char c) {
  SCRATCH int memory[k_threads];
  memory[threadIdx.x] = c;
  __syncthreads();
  out[threadIdx.x] = memory[k_threads - 1 - threadIdx.x];
}

}  // namespace outer::inner

extern "C" {
__device__ __noinline__ int twice(int x) { return 2 * x; }
__attribute__((__noinline__)) __device__ int thrice(int x) { return 3 * x; }
__global__ void declared_first(int* out);
__global__ void declared_first(int* out) {
  if (threadIdx.x == 0) { out[0] = twice(21); } else { out[threadIdx.x] = thrice(1); }
}
}

extern "C" __launch_bounds__(128, 4) __global__ void bounds_first(int* __restrict__ out) {
#pragma unroll 4
  for (int i = 0; i < 4; ++i) out[i] = i;
}

// Not extern "C": nobody can launch these two by name.
template <typename T>
__global__ void templated(T* out) { out[0] = T(1); }
__global__ void mangled(int* out) { out[0] = 1; }

struct Parameters {
  float scale;
  double shift;
  char tag[3];
};
extern "C" __global__ void by_value(const __grid_constant__ Parameters p, const bool flag, short s,
                                    float3 v, double* out) {
  const auto scaled = [=](double x) { return x * p.scale + p.shift; };
  out[threadIdx.x] = scaled(s) + (flag ? v.z : 0.0f) + p.tag[2];
}
extern "C" __global__ void no_parameters() {}
extern "C" __global__ void text_lengths(int* out) {
  out[0] = sizeof(outer::inner::k_text) + sizeof(outer::inner::k_raw);
  out[1] = outer::inner::k_character;
  out[2] = sizeof(QUOTE(__shared__ int x;));
}
