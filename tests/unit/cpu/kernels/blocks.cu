// Barriers that count, threads that leave early, atomics, blocks and grids in three dimensions.
#include <cuda_runtime.h>

__constant__ int k_offsets[4] = {1, 10, 100, 1000};

extern "C" __global__ void counting(int* out) {
  const int t = threadIdx.x;
  if (t >= 70) return;  // leaves the others to the barriers
  out[t] = __syncthreads_count(t % 2) + 1000 * __syncthreads_and(t < 70) +
           2000 * __syncthreads_and(t < 69) + 4000 * __syncthreads_or(t == 69) +
           8000 * __syncthreads_or(t == 70);
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], 2);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t);
  atomicAnd(&u[0], ~(1u << (t % 4)));
  atomicOr(&u[1], 1u << (t % 8));
  atomicXor(&u[2], 1u << (t % 2));
  atomicInc(&u[3], 9);
  atomicDec(&u[4], 9);
  atomicExch(&u[5], 77u);
  unsigned seen = u[6], old;
  do {
    old = seen;
    seen = atomicCAS(&u[6], old, old + 3);
  } while (seen != old);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], static_cast<unsigned long long>(t));
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.25);
  atomicAdd_block(&i[4], 1);
  __threadfence();
}

extern "C" __global__ void coordinates(int* out, int total) {
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int at = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  if (at < total) out[at] = k_offsets[threadIdx.x] + k_offsets[blockIdx.z] * 2;
}

// The last block adds up what the others left: the usual pattern of one-launch reductions.
extern "C" __global__ void last_block(const float* x, float* partial, float* y,
                                      unsigned* finished_blocks) {
  __shared__ float sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0.0f;
  __syncthreads();
  atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(finished_blocks, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
    *y = total;
  }
}

// A lock that every thread of the block takes in turn.
extern "C" __global__ void lock(int* mutex, int* counter) {
  while (atomicCAS(mutex, 0, 1) != 0) __nanosleep(20);
  *counter += 1;
  __threadfence();
  atomicExch(mutex, 0);
}

// Waits, with atomics alone, for a thread that comes later in the order.
extern "C" __global__ void flag(int* ready, int* out) {
  if (threadIdx.x == blockDim.x - 1) {
    atomicExch(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {
    }
  }
  out[threadIdx.x] = 1;
}
