// Kernels whose blocks have to do with each other.

// Each block writes its place in the order of starts.
extern "C" __global__ void starts(unsigned* counter, unsigned* y) {
  y[blockIdx.x] = atomicAdd(counter, 1u);
}

// Reads what the block before has written, and hopes that it has.
extern "C" __global__ void trusts_the_order(float* y) {
  y[blockIdx.x] = (blockIdx.x == 0 ? 0.0f : y[blockIdx.x - 1]) + 1.0f;
}

// Half of the blocks write what the other half adds to: far apart, but nobody waits.
extern "C" __global__ void trusts_the_first_half(float* y) {
  const unsigned half = gridDim.x / 2;
  y[blockIdx.x] = blockIdx.x < half ? blockIdx.x + 1.0f : y[blockIdx.x - half] + half;
}

// Waits for the block before by a flag; the sum runs through all blocks.
extern "C" __global__ void looks_back(volatile unsigned* flags, volatile float* y) {
  __shared__ float kept[64];
  __shared__ float before;
  kept[threadIdx.x] = blockIdx.x * 100.0f + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x != 0) {
      while (flags[blockIdx.x - 1] == 0) {
      }
      before = y[blockIdx.x - 1];
    } else {
      before = 0.0f;
    }
    __threadfence();
    y[blockIdx.x] = before + 1.0f;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
  __syncthreads();
  // What it held while others ran.
  if (kept[threadIdx.x] != blockIdx.x * 100.0f + threadIdx.x) y[blockIdx.x] = -1000.0f;
}

// The same by atomics, all threads waiting, in dynamic shared memory.
extern "C" __global__ void looks_back_by_atomics(unsigned* flags, float* y) {
  extern __shared__ float own[];
  own[threadIdx.x] = blockIdx.x + 0.5f;
  if (blockIdx.x != 0) {
    do {
    } while (atomicAdd(&flags[blockIdx.x - 1], 0u) == 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    y[blockIdx.x] = (blockIdx.x == 0 ? 0.0f : y[blockIdx.x - 1]) + 1.0f;
    atomicExch(&flags[blockIdx.x], 1u);
  }
  if (own[threadIdx.x] != blockIdx.x + 0.5f) y[blockIdx.x] = -1000.0f;
}

// Waits for a flag that nobody sets.
extern "C" __global__ void waits_for_ever(volatile unsigned* flags) {
  if (threadIdx.x == 0) {
    for (; flags[blockIdx.x] == 0;) continue;
  }
}

// Every kind of loop, in a file that reads memory afresh: none means anything else for it.
constexpr int powers(int n) {
  int result = 1;
  for (int i = 0; i < n; ++i) result *= 2;
  while (n-- > 0) ++result;
  return result;
}
extern "C" __global__ void loops(int* y) {
  static_assert(powers(3) == 11);
  int n = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < 4; ++i)
      if (i == 1) n += 1;
      else n += 10;
  else
    n = -1;
  if (n > 0)
    while (n % 7 != 0) ++n;
  else n = -2;
  do n += 100;
  while (n < 1000);
  while (n++ < 2000);
  const int steps[] = {1, 2, 3};
  for (const int step : steps) n += step;
  while (const int left = 3000 - n) n += left > 0 ? 1 : -1;
  y[threadIdx.x] = n;
}

// What shared memory holds before it is written, and leaves something there.
extern "C" __global__ void reads_shared(unsigned* y, unsigned* of_dynamic) {
  __shared__ unsigned found[64];
  extern __shared__ unsigned dynamic[];
  y[blockIdx.x * 64 + threadIdx.x] = found[threadIdx.x];
  of_dynamic[blockIdx.x * 64 + threadIdx.x] = dynamic[threadIdx.x];
  found[threadIdx.x] = dynamic[threadIdx.x] = 7u;
}

extern "C" __global__ void reads_local(unsigned* y, int n) {
  unsigned junk[8];
  for (int i = 0; i < n; ++i) junk[i] = i;
  y[0] = junk[n];
}

extern "C" __global__ void asserts(int* y) { assert(y[0] == 1); }
