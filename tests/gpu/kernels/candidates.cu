// Kernels of every temper for the tests of the CUDA device.
// Each takes (const float* x, float* y, int n); x and y have n elements.

namespace {

__device__ int index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

}  // namespace

extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i];
}

extern "C" __global__ void copy(const float* x, float* y, int n) {
  const int i = index();
  if (i < n / 4) reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
}

extern "C" __global__ void nothing(const float*, float*, int) {}

// x through a tensor map whose box is the block.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};
extern "C" __global__ void twice_by_tma(const __grid_constant__ TensorMap x, float* y, int n) {
  __shared__ alignas(128) float box[256];
  __shared__ unsigned long long barrier;
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(box));
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2}], [%3];" ::"r"(to),
        "l"(&x), "r"(static_cast<int>(blockIdx.x * 256)), "r"(at)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(at)
        : "memory");
  }
  if (index() < n) y[index()] = 2.0f * box[threadIdx.x];
}

// Forgets its bound: writes up to the end of the last block.
extern "C" __global__ void no_bound(const float* x, float* y, int n) {
  const int i = index();
  y[i] = i < n ? x[i] : 0.0f;
}

extern "C" __global__ void before_start(const float*, float* y, int) {
  if (index() == 0) y[-2] = 1.0f;
}

// Right wherever what lies behind the input is readable.
extern "C" __global__ void reads_past_end(const float* x, float* y, int n) {
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i] + 0.0f * x[n];
}

extern "C" __global__ void reads_before_start(const float* x, float* y, int n) {
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i] + 0.0f * x[-1];
}

// Right wherever x and y start at a multiple of 32 bytes.
extern "C" __global__ void wants_32_bytes(const float* x, float* y, int n) {
  const int i = index();
  if (i < n && reinterpret_cast<unsigned long long>(x) % 32 == 0) y[i] = 2.0f * x[i];
}

// Every thread writes the same word of shared memory.
extern "C" __global__ void races(const float* x, float* y, int n) {
  __shared__ volatile int word;
  word = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i] + 0.0f * static_cast<float>(word);
}

// Half of a warp stays away from the barrier.
extern "C" __global__ void half_barrier(const float* x, float* y, int n) {
  if (threadIdx.x < 48) __syncthreads();
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i];
}

// Reads its output before it writes it.
extern "C" __global__ void reads_output(const float* x, float* y, int n) {
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i] + (y[i] == 12345.0f ? 1.0f : 0.0f);
}

extern "C" __global__ void wild(const float*, float* y, int) {
  if (index() == 0) y[1ull << 40] = 1.0f;
}

extern "C" __global__ void misaligned(const float*, float* y, int) {
  if (index() == 0) {
    float* odd = reinterpret_cast<float*>(reinterpret_cast<char*>(y) + 2);
    *reinterpret_cast<volatile float*>(odd) = 1.0f;
  }
}

extern "C" __global__ void trap(const float*, float*, int) {
  if (index() == 0) __trap();
}

extern "C" __global__ void endless(const float*, float* y, int) {
  volatile float* flag = y;
  while (*flag != 12345.0f) {
  }
}

extern "C" __global__ void changes_input(const float* x, float* y, int n) {
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i];
  if (i == n / 2) const_cast<float*>(x)[i] += 1.0f;
}

extern "C" __global__ void uses_shared(const float* x, float* y, int n) {
  extern __shared__ float tile[];
  const int i = index();
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = 2.0f * tile[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(128) small_blocks(const float* x, float* y, int n) {
  const int i = index();
  if (i < n) y[i] = 2.0f * x[i];
}

// Each block tells its rank in its cluster.
extern "C" __global__ void cluster_rank(const float*, float* y, int n) {
  unsigned int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const int i = index();
  if (i < n) y[i] = static_cast<float>(rank);
}

// The workspace comes as `y`'s neighbour: (x, y, n, workspace). Says what it holds at first.
extern "C" __global__ void reads_workspace(const float*, float* y, int n,
                                           const unsigned char* workspace) {
  const int i = index();
  if (i < n) y[i] = static_cast<float>(workspace[i]);
}

// Hands on what it finds in shared memory, and leaves a mark there for the next launch.
extern "C" __global__ void finds_shared(const float*, float* y, int n) {
  extern __shared__ unsigned int left[];
  const int i = index();
  if (i < n) y[i] = left[threadIdx.x] == 0xC0FFEEu ? 1.0f : 0.0f;
  __syncthreads();
  left[threadIdx.x] = 0xC0FFEEu;
}
