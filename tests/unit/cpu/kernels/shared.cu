// Shared variables in every form.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#define SHARED_TILE(type, name, rows) __shared__ type name[rows][33]

__shared__ int at_namespace_scope[2];

template <typename T, int kRows>
struct Tile {
  T value[kRows];
};

// Each instance of the template has a variable of its own.
template <typename T, int n>
__device__ T* scratch() {
  __shared__ T memory[n];
  return memory;
}

template <typename T>
__device__ void rotate(T* out) {
  __shared__ alignas(16) Tile<T, 64> tile;
  tile.value[threadIdx.x] = static_cast<T>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile.value[(threadIdx.x + 1) % 64];
}

extern "C" __global__ void rotate_both(float* f, int* i) {
  rotate(f);
  rotate(i);
  i[64 + threadIdx.x] = scratch<int, 8>() != scratch<int, 9>() &&
                        static_cast<void*>(scratch<int, 8>()) != scratch<float, 8>() &&
                        scratch<int, 8>() == scratch<int, 8>();
}

extern "C" __global__ void many(int* out) {
  __shared__ int first, second[3], third[2][4];
  __shared__ struct {
    int a;
    float b[4];
  } both;
  SHARED_TILE(float, tile,
              4);
  __shared__ __half halves[8];
  static __shared__ volatile int counter;
  __shared__ uint64_t __align__(16) wide[2];
  __shared__ float (*pointer)[4];
  if (threadIdx.x == 0) {
    first = 1;
    second[2] = 2;
    third[1][3] = 3;
    both.a = 4;
    both.b[3] = 5.0f;
    tile[3][32] = 6.0f;
    halves[7] = __float2half(7.0f);
    counter = 8;
    wide[1] = 9;
    pointer = &both.b;
    at_namespace_scope[1] = 10;
  }
  __syncthreads();
  auto read = [=](int k) { return second[k]; };  // shared memory isn't captured, it is there
  out[threadIdx.x] = first + read(2) * 10 + third[1][3] * 100 + both.a * 1000 +
                     static_cast<int>((*pointer)[3]) * 10000;
  out[32 + threadIdx.x] = static_cast<int>(tile[3][32]) + static_cast<int>(__half2float(halves[7])) * 10 +
                          counter * 100 + static_cast<int>(wide[1]) * 1000 +
                          at_namespace_scope[1] * 10000;
  static_assert(sizeof(third) == 32 && sizeof(tile) == 4 * 33 * 4, "sizes stay what they were");
}

extern "C" __global__ void dynamic(float* out, int n) {
  extern __shared__ float4 vectors[];
  float* values = reinterpret_cast<float*>(vectors);
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = static_cast<float>(i);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = values[n - 1 - i];
}

// What nobody has written is poison, in every block anew.
extern "C" __global__ void unwritten(unsigned* out) {
  extern __shared__ unsigned more[];
  __shared__ unsigned word;
  out[2 * blockIdx.x] = word;
  out[2 * blockIdx.x + 1] = more[1];
  word = 1;
  more[1] = 1;
}

extern "C" __global__ void static_40k(int* out) {
  __shared__ int memory[10000];
  memory[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = memory[threadIdx.x];
}
