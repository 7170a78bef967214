/* kernelloop:plan
{ "launches": [
    { "when": "classes <= 1024", "kernel": "cross_entropy_warp", "grid": ["ceil_div(rows, 8)"],
      "block": [256], "args": ["logits", "targets", "loss", "rows", "classes"] },
    { "when": "classes > 1024 && classes <= 8192", "kernel": "cross_entropy_block", "grid": ["rows"],
      "block": [256], "args": ["logits", "targets", "loss", "classes"] },
    { "when": "classes > 8192 && classes <= 65536", "kernel": "cross_entropy_wide", "grid": ["rows"],
      "block": [512], "args": ["logits", "targets", "loss", "classes"] },
    { "when": "classes > 65536", "kernel": "cross_entropy_widest", "grid": ["rows"],
      "block": [512], "args": ["logits", "targets", "loss", "classes"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr unsigned kFullMask = 0xffffffffu;
constexpr long long kIgnored = -100;
// Below every finite bfloat16, and finite: exponentials of differences to it are no NaN.
constexpr float kLowest = -3.402823466e+38f;

// exp(x) for x <= 0; results below the normal range are 0.
__device__ __forceinline__ float exponential(float x) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * 1.4426950408889634f));
  return result;
#else
  return __expf(x);
#endif
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ unsigned maximum(unsigned a, unsigned b) {
  const __nv_bfloat162 result = __hmax2(*reinterpret_cast<const __nv_bfloat162*>(&a),
                                        *reinterpret_cast<const __nv_bfloat162*>(&b));
  return *reinterpret_cast<const unsigned*>(&result);
}
__device__ __forceinline__ unsigned maximum(const uint4& v) {
  return maximum(maximum(v.x, v.y), maximum(v.z, v.w));
}

__device__ __forceinline__ float exponentials(unsigned pair, float largest) {
  return exponential(lower(pair) - largest) + exponential(upper(pair) - largest);
}
__device__ __forceinline__ float exponentials(const uint4& v, float largest) {
  return (exponentials(v.x, largest) + exponentials(v.y, largest)) +
         (exponentials(v.z, largest) + exponentials(v.w, largest));
}

// Elements seen so far: their maximum, and the sum of exp(x - largest). NaN is not in the maximum,
// but in the sum.
struct Partial {
  float largest;
  float sum;
};

__device__ __forceinline__ Partial merged(const Partial& a, const Partial& b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * exponential(a.largest - largest) + b.sum * exponential(b.largest - largest)};
}

__device__ __forceinline__ Partial over_warp(Partial part) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    const Partial other{__shfl_xor_sync(kFullMask, part.largest, offset),
                        __shfl_xor_sync(kFullMask, part.sum, offset)};
    part = merged(part, other);
  }
  return part;
}

// The elements of a row that lie before the first and behind the last whole 16 bytes are taken one
// by one, the vectors between them by the loops below.
struct Row {
  const uint4* vectors;
  int count;
  Partial edges;  // those of this thread
};

template <int kThreads>
__device__ __forceinline__ Row row_of(const __nv_bfloat16* logits, int classes, int thread) {
  const int misaligned = static_cast<int>(reinterpret_cast<uintptr_t>(logits) % 16 / 2);
  const int head = min(misaligned == 0 ? 0 : 8 - misaligned, classes);
  Row row{reinterpret_cast<const uint4*>(logits + head), (classes - head) / 8, {kLowest, 0.0f}};
  if (thread < head) row.edges = merged(row.edges, {__bfloat162float(logits[thread]), 1.0f});
  const int last = head + row.count * 8 + thread - 8;
  if (thread >= 8 && last < classes) {
    row.edges = merged(row.edges, {__bfloat162float(logits[last]), 1.0f});
  }
  return row;
}

template <int kVectors, int kThreads>
__device__ __forceinline__ void load(uint4 (&data)[kVectors], const uint4* in, int first, int count) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = first + v * kThreads;
    data[v] = i < count ? __ldg(in + i) : make_uint4(0xff80ff80u, 0xff80ff80u, 0xff80ff80u, 0xff80ff80u);
  }
}

template <int kVectors, int kThreads>
__device__ __forceinline__ void add(Partial& part, const uint4 (&data)[kVectors], int first, int count) {
  unsigned pair = maximum(data[0]);
#pragma unroll
  for (int v = 1; v < kVectors; ++v) pair = maximum(pair, maximum(data[v]));
  const float largest = fmaxf(part.largest, fmaxf(lower(pair), upper(pair)));
  part.sum *= exponential(part.largest - largest);
  part.largest = largest;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    if (first + v * kThreads < count) part.sum += exponentials(data[v], largest);
  }
}

// The loads of a batch are under way while the one before is added.
template <int kVectors, int kThreads>
__device__ __forceinline__ Partial sum_up(const Row& row, uint4 (&data)[kVectors], int thread) {
  constexpr int kBatch = kVectors * kThreads;
  Partial part = row.edges;
  for (int first = thread; first < row.count; first += kBatch) {
    uint4 next[kVectors];
    load<kVectors, kThreads>(next, row.vectors, first + kBatch, row.count);
    add<kVectors, kThreads>(part, data, first, row.count);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) data[v] = next[v];
  }
  return part;
}

__device__ __forceinline__ float loss_of(const Partial& part, float chosen) {
  return logf(part.sum) + (part.largest - chosen);
}

// A warp for each row, which a lane takes in one batch: 1024 classes at most.
extern "C" __global__ void __launch_bounds__(256)
cross_entropy_warp(const __nv_bfloat16* __restrict__ logits, const long long* __restrict__ targets,
                   float* __restrict__ loss, int rows, int classes) {
  const int number = blockIdx.x * 8 + threadIdx.x / 32;
  if (number >= rows) return;
  const int lane = threadIdx.x % 32;
  const long long target = targets[number];
  logits += static_cast<size_t>(number) * classes;
  uint4 data[4];
  const Row row = row_of<32>(logits, classes, lane);
  load<4, 32>(data, row.vectors, lane, row.count);
  Partial part = row.edges;
  add<4, 32>(part, data, lane, row.count);
  part = over_warp(part);
  if (lane == 0) {
    loss[number] = target == kIgnored ? 0.0f : loss_of(part, __bfloat162float(logits[target]));
  }
}

template <int kThreads>
__device__ __forceinline__ void store(Partial part, float chosen, float* loss) {
  __shared__ Partial partials[kThreads / 32];
  part = over_warp(part);
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = part;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  part = over_warp(threadIdx.x < kThreads / 32 ? partials[threadIdx.x] : Partial{kLowest, 0.0f});
  if (threadIdx.x == 0) loss[blockIdx.x] = loss_of(part, chosen);
}

// A block for each row, which a thread takes in one batch: 8192 classes at most.
extern "C" __global__ void __launch_bounds__(256)
cross_entropy_block(const __nv_bfloat16* __restrict__ logits, const long long* __restrict__ targets,
                    float* __restrict__ loss, int classes) {
  const long long target = targets[blockIdx.x];
  if (target == kIgnored) {  // the same for the whole block; the row need not be read
    if (threadIdx.x == 0) loss[blockIdx.x] = 0.0f;
    return;
  }
  logits += static_cast<size_t>(blockIdx.x) * classes;
  const float chosen = threadIdx.x == 0 ? __bfloat162float(logits[target]) : 0.0f;
  uint4 data[4];
  const Row row = row_of<256>(logits, classes, threadIdx.x);
  load<4, 256>(data, row.vectors, threadIdx.x, row.count);
  Partial part = row.edges;
  add<4, 256>(part, data, threadIdx.x, row.count);
  store<256>(part, chosen, loss);
}

template <bool kEarly>
__device__ __forceinline__ void wide(const __nv_bfloat16* logits, const long long* targets, float* loss,
                                     int classes) {
  const long long target = targets[blockIdx.x];
  logits += static_cast<size_t>(blockIdx.x) * classes;
  uint4 data[4];
  Row row;
  if (kEarly) {
    row = row_of<512>(logits, classes, threadIdx.x);
    load<4, 512>(data, row.vectors, threadIdx.x, row.count);
  }
  if (target == kIgnored) {
    if (threadIdx.x == 0) loss[blockIdx.x] = 0.0f;
    return;
  }
  if (!kEarly) {
    row = row_of<512>(logits, classes, threadIdx.x);
    load<4, 512>(data, row.vectors, threadIdx.x, row.count);
  }
  const float chosen = threadIdx.x == 0 ? __bfloat162float(logits[target]) : 0.0f;
  store<512>(sum_up<4, 512>(row, data, threadIdx.x), chosen, loss);
}

extern "C" __global__ void __launch_bounds__(512, 2)
cross_entropy_wide(const __nv_bfloat16* __restrict__ logits, const long long* __restrict__ targets,
                   float* __restrict__ loss, int classes) {
  wide<false>(logits, targets, loss, classes);
}
// Few rows, so that all blocks start together: they do not wait for the target.
extern "C" __global__ void __launch_bounds__(512, 2)
cross_entropy_widest(const __nv_bfloat16* __restrict__ logits, const long long* __restrict__ targets,
                     float* __restrict__ loss, int classes) {
  wide<true>(logits, targets, loss, classes);
}
