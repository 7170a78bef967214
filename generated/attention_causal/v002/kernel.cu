/* kernelloop:plan
{ "workspace_bytes": "head_dim % 8 == 0 && head_dim <= 128 && queries == 1 ? heads * ceil_div(keys, 512) * 130 * 4 : 0",
  "launches": [
    { "when": "head_dim % 8 == 0 && head_dim <= 128 && queries == 1", "kernel": "attention_causal_parts",
      "grid": ["heads * ceil_div(keys, 512)"], "block": [256],
      "args": ["q", "k", "v", "workspace", "keys", "head_dim"] },
    { "when": "head_dim % 8 == 0 && head_dim <= 128 && queries == 1", "kernel": "attention_causal_whole",
      "grid": ["heads"], "block": [128],
      "args": ["workspace", "y", "ceil_div(keys, 512)", "head_dim"] },
    { "when": "head_dim % 8 == 0 && head_dim <= 64 && queries > 1", "kernel": "attention_causal_64",
      "grid": ["heads * ceil_div(queries, 128)"], "block": [256], "dynamic_shared_bytes": 49152,
      "args": ["q", "k", "v", "y", "heads", "queries", "keys", "head_dim"] },
    { "when": "head_dim % 8 == 0 && head_dim > 64 && head_dim <= 128 && queries > 1",
      "kernel": "attention_causal_128", "grid": ["heads * ceil_div(queries, 128)"], "block": [256],
      "dynamic_shared_bytes": 98304,
      "args": ["q", "k", "v", "y", "heads", "queries", "keys", "head_dim"] },
    { "when": "head_dim % 8 != 0 || head_dim > 128", "kernel": "attention_causal_rows",
      "grid": ["ceil_div(heads * queries, 8)"], "block": [256],
      "args": ["q", "k", "v", "y", "heads * queries", "queries", "keys", "head_dim"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr bool kCausal = true;
constexpr unsigned kFullMask = 0xffffffffu;
// Finite, so that differences to it are no NaN: what maxima begin with.
constexpr float kLowest = -3.402823466e+38f;
constexpr float kLog2E = 1.4426950408889634f;

// ---- Instructions of the tensor cores, and what they do in terms of shuffles ----

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// 16 bytes to shared memory, or zeros.
__device__ __forceinline__ void copy_async(uint4* to, const void* from, bool valid) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// Four matrices of 8 x 8; each lane gives the address of one of their rows.
__device__ __forceinline__ void load_matrices(unsigned (&r)[4], const uint4* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

// The same, each matrix transposed.
__device__ __forceinline__ void load_transposed(unsigned (&r)[4], const uint4* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// c += a b, 16 x 8 += 16 x 16 by 16 x 8.
__device__ __forceinline__ void multiply(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                         unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

#else

__device__ inline void copy_async(uint4* to, const void* from, bool valid) {
  *to = valid ? *static_cast<const uint4*>(from) : make_uint4(0u, 0u, 0u, 0u);
}
__device__ inline void commit() {}
template <int kPending>
__device__ inline void wait() {}

__device__ inline void load_matrices(unsigned (&r)[4], const uint4* row) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto own = static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(row));
  for (int i = 0; i < 4; ++i) {
    const unsigned long long other = __shfl_sync(kFullMask, own, i * 8 + lane / 4);
    r[i] = reinterpret_cast<const unsigned*>(static_cast<uintptr_t>(other))[lane % 4];
  }
}

__device__ inline void load_transposed(unsigned (&r)[4], const uint4* row) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto own = static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(row));
  for (int i = 0; i < 4; ++i) {
    const unsigned long long first = __shfl_sync(kFullMask, own, i * 8 + lane % 4 * 2);
    const unsigned long long second = __shfl_sync(kFullMask, own, i * 8 + lane % 4 * 2 + 1);
    const unsigned low = reinterpret_cast<const unsigned short*>(static_cast<uintptr_t>(first))[lane / 4];
    const unsigned high = reinterpret_cast<const unsigned short*>(static_cast<uintptr_t>(second))[lane / 4];
    r[i] = low | high << 16;
  }
}

__device__ inline float power_of_two(float x) { return exp2f(x); }

__device__ inline float dot(unsigned a, unsigned b) {
  return __uint_as_float(a << 16) * __uint_as_float(b << 16) +
         __uint_as_float(a & 0xffff0000u) * __uint_as_float(b & 0xffff0000u);
}

__device__ inline void multiply(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                unsigned b0, unsigned b1) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int group = lane / 4;
  const int pair = lane % 4;
  for (int q = 0; q < 4; ++q) {
    const unsigned upper0 = __shfl_sync(kFullMask, a0, group * 4 + q);
    const unsigned lower0 = __shfl_sync(kFullMask, a1, group * 4 + q);
    const unsigned upper1 = __shfl_sync(kFullMask, a2, group * 4 + q);
    const unsigned lower1 = __shfl_sync(kFullMask, a3, group * 4 + q);
    for (int j = 0; j < 2; ++j) {
      const unsigned first = __shfl_sync(kFullMask, b0, (2 * pair + j) * 4 + q);
      const unsigned second = __shfl_sync(kFullMask, b1, (2 * pair + j) * 4 + q);
      c[j] += dot(upper0, first) + dot(upper1, second);
      c[2 + j] += dot(lower0, first) + dot(lower1, second);
    }
  }
}

#endif

__device__ __forceinline__ unsigned packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

// ---- One query by a warp, without tensor cores: any head_dim up to 256 ----

__device__ __noinline__ void attention_row(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                           const __nv_bfloat16* v, __nv_bfloat16* y, int visible,
                                           int head_dim) {
  const int lane = threadIdx.x % 32;
  const float scale = 1.0f / sqrtf(static_cast<float>(head_dim));
  float largest = kLowest;
  float sum = 0.0f;
  float result[8] = {};
  for (int start = 0; start < visible; start += 32) {
    const int key = start + lane;
    float score = -INFINITY;
    if (key < visible) {
      score = 0.0f;
      const __nv_bfloat16* own = k + static_cast<size_t>(key) * head_dim;
      for (int d = 0; d < head_dim; ++d) score += __bfloat162float(q[d]) * scale * __bfloat162float(own[d]);
    }
    float greatest = fmaxf(largest, score);
    for (int offset = 16; offset > 0; offset /= 2) {
      greatest = fmaxf(greatest, __shfl_xor_sync(kFullMask, greatest, offset));
    }
    const float rescale = expf(largest - greatest);
    largest = greatest;
    const float weight = key < visible ? expf(score - largest) : 0.0f;
    float added = weight;
    for (int offset = 16; offset > 0; offset /= 2) added += __shfl_xor_sync(kFullMask, added, offset);
    sum = sum * rescale + added;
    for (int i = 0; i < 8; ++i) result[i] *= rescale;
    const int count = min(visible - start, 32);
    for (int j = 0; j < count; ++j) {
      const float share = __shfl_sync(kFullMask, weight, j);
      const __nv_bfloat16* value = v + static_cast<size_t>(start + j) * head_dim;
      for (int i = 0; i < 8; ++i) {
        const int d = lane + i * 32;
        if (d < head_dim) result[i] += share * __bfloat162float(value[d]);
      }
    }
  }
  for (int i = 0; i < 8; ++i) {
    const int d = lane + i * 32;
    if (d < head_dim) y[d] = __float2bfloat16_rn(result[i] / sum);
  }
}

extern "C" __global__ void __launch_bounds__(256)
attention_causal_rows(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k,
               const __nv_bfloat16* __restrict__ v, __nv_bfloat16* __restrict__ y, long long rows, int queries,
               int keys, int head_dim) {
  const long long row = blockIdx.x * 8ll + threadIdx.x / 32;
  if (row >= rows) return;
  const size_t head = static_cast<size_t>(row / queries) * keys * head_dim;
  const int visible = kCausal ? keys - queries + static_cast<int>(row % queries) + 1 : keys;
  attention_row(q + row * head_dim, k + head, v + head, y + row * head_dim, visible, head_dim);
}

// ---- Many queries: 128 of them by eight warps, 64 keys at a time ----

// A line is a query, a key or a value of kDim elements, zeros beyond head_dim, in vectors that are
// exchanged so that neither copies nor loads of matrices have bank conflicts.
template <int kDim>
__device__ __forceinline__ int place_of(int line, int vector) {
  return line * (kDim / 8) + (vector ^ (line % 8));
}

template <int kDim, int kLines>
__device__ __forceinline__ void copy_lines(uint4* to, const __nv_bfloat16* from, int first, int count,
                                           int head_dim) {
  constexpr int kVectors = kDim / 8;
#pragma unroll
  for (int i = 0; i < kLines * kVectors / 256; ++i) {
    const int number = threadIdx.x + i * 256;
    const int line = number / kVectors;
    const int vector = number % kVectors;
    const bool valid = first + line < count && vector * 8 < head_dim;
    copy_async(to + place_of<kDim>(line, vector),
               valid ? from + static_cast<size_t>(first + line) * head_dim + vector * 8 : from, valid);
  }
}

__device__ __forceinline__ bool not_finite(unsigned pair) {
  return (pair & 0x7f80u) == 0x7f80u || (pair & 0x7f800000u) == 0x7f800000u;
}

template <int kDim>
__device__ __forceinline__ void attention_tile(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                               const __nv_bfloat16* v, __nv_bfloat16* y, int heads,
                                               int queries, int keys, int head_dim) {
  constexpr int kParts = kDim / 16;
  constexpr int kStage = 64 * kDim / 8;  // vectors of 64 keys or values
  extern __shared__ uint4 shared[];
  uint4* const own_queries = shared;
  uint4* const stages = shared + 2 * kStage;  // keys, values; twice
  const int tiles = (queries + 127) / 128;
  // Of causal tiles, those with most keys begin first.
  const int tile = kCausal ? tiles - 1 - static_cast<int>(blockIdx.x / static_cast<unsigned>(heads))
                           : static_cast<int>(blockIdx.x / static_cast<unsigned>(heads));
  const int head = static_cast<int>(blockIdx.x % static_cast<unsigned>(heads));
  const int first = tile * 128;
  const size_t head_queries = static_cast<size_t>(head) * queries * head_dim;
  const size_t head_keys = static_cast<size_t>(head) * keys * head_dim;
  q += head_queries;
  y += head_queries;
  k += head_keys;
  v += head_keys;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int row = first + warp * 16 + lane / 4;  // and the one 8 further
  const int before = keys - queries + 1;         // keys that the first query sees, if causal
  const int visible = kCausal ? min(keys, before + first + 127) : keys;  // to any query of the block
  const int always = kCausal ? before + first : keys;                    // to all of them
  const int steps = (visible + 63) / 64;
  const float factor = kLog2E / sqrtf(static_cast<float>(head_dim));

  copy_lines<kDim, 128>(own_queries, q, first, queries, head_dim);
  copy_lines<kDim, 64>(stages, k, 0, keys, head_dim);
  copy_lines<kDim, 64>(stages + kStage, v, 0, keys, head_dim);
  commit();

  unsigned x[kParts][4];
  float result[2 * kParts][4];
#pragma unroll
  for (int j = 0; j < 2 * kParts; ++j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) result[j][e] = 0.0f;
  }
  float largest[2] = {kLowest, kLowest};
  float sum[2] = {0.0f, 0.0f};
  bool unsafe = false;

  for (int step = 0; step < steps; ++step) {
    wait<0>();
    __syncthreads();  // the copies are there, and nobody reads the other stage any more
    if (step + 1 < steps) {
      uint4* const next = stages + (step + 1) % 2 * (2 * kStage);
      copy_lines<kDim, 64>(next, k, (step + 1) * 64, keys, head_dim);
      copy_lines<kDim, 64>(next + kStage, v, (step + 1) * 64, keys, head_dim);
    }
    commit();
    const uint4* const own_keys = stages + step % 2 * (2 * kStage);
    const uint4* const values = own_keys + kStage;
    if (step == 0) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        load_matrices(x[part], own_queries + place_of<kDim>(warp * 16 + lane % 16, part * 2 + lane / 16));
      }
    }

    if (kCausal && step * 64 + 64 > always) {
      // A weight of 0 does not hide a value that is not finite.
      bool own = false;
      for (int i = threadIdx.x; i < kStage; i += 256) {
        const uint4 value = values[i];
        own = own || not_finite(value.x) || not_finite(value.y) || not_finite(value.z) || not_finite(value.w);
      }
      if (__syncthreads_or(own ? 1 : 0) != 0) unsafe = true;
    }

    float scores[8][4];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) scores[j][e] = 0.0f;
    }
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        unsigned b[4];
        load_matrices(b, own_keys + place_of<kDim>(j * 16 + lane / 16 * 8 + lane % 8, part * 2 + lane / 8 % 2));
        multiply(scores[2 * j], x[part][0], x[part][1], x[part][2], x[part][3], b[0], b[1]);
        multiply(scores[2 * j + 1], x[part][0], x[part][1], x[part][2], x[part][3], b[2], b[3]);
      }
    }

    if (step * 64 + 64 > always) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int key = step * 64 + j * 8 + lane % 4 * 2 + e % 2;
          const int limit = kCausal ? min(keys, before + row + e / 2 * 8) : keys;
          if (key >= limit) scores[j][e] = -INFINITY;
        }
      }
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float greatest = largest[half];
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        greatest = fmaxf(greatest, fmaxf(scores[j][2 * half], scores[j][2 * half + 1]));
      }
      greatest = fmaxf(greatest, __shfl_xor_sync(kFullMask, greatest, 1));
      greatest = fmaxf(greatest, __shfl_xor_sync(kFullMask, greatest, 2));
      const float rescale = power_of_two((largest[half] - greatest) * factor);
      largest[half] = greatest;
      float added = 0.0f;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e) {
          scores[j][e] = power_of_two((scores[j][e] - greatest) * factor);
          added += scores[j][e];
        }
      }
      sum[half] = sum[half] * rescale + added;
#pragma unroll
      for (int j = 0; j < 2 * kParts; ++j) {
        result[j][2 * half] *= rescale;
        result[j][2 * half + 1] *= rescale;
      }
    }

    // The scores lie in the lanes as the left factor of the second product must.
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const unsigned a0 = packed(scores[2 * part][0], scores[2 * part][1]);
      const unsigned a1 = packed(scores[2 * part][2], scores[2 * part][3]);
      const unsigned a2 = packed(scores[2 * part + 1][0], scores[2 * part + 1][1]);
      const unsigned a3 = packed(scores[2 * part + 1][2], scores[2 * part + 1][3]);
#pragma unroll
      for (int j = 0; j < kParts; ++j) {
        unsigned b[4];
        load_transposed(b, values + place_of<kDim>(part * 16 + lane % 16, j * 2 + lane / 16));
        multiply(result[2 * j], a0, a1, a2, a3, b[0], b[1]);
        multiply(result[2 * j + 1], a0, a1, a2, a3, b[2], b[3]);
      }
    }
  }

  if (unsafe) {  // the same for the whole block
    for (int i = 0; i < 16; ++i) {
      const int one = first + warp * 16 + i;
      if (one < queries) {
        const size_t at = static_cast<size_t>(one) * head_dim;
        attention_row(q + at, k, v, y + at, before + one, head_dim);
      }
    }
    return;
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float total = sum[half];
    total += __shfl_xor_sync(kFullMask, total, 1);
    total += __shfl_xor_sync(kFullMask, total, 2);
    const float scale = 1.0f / total;
    const int own = row + half * 8;
    if (own < queries) {
      __nv_bfloat16* const out = y + static_cast<size_t>(own) * head_dim;
#pragma unroll
      for (int j = 0; j < 2 * kParts; ++j) {
        const int d = j * 8 + lane % 4 * 2;
        if (d < head_dim) {
          *reinterpret_cast<unsigned*>(out + d) =
              packed(result[j][2 * half] * scale, result[j][2 * half + 1] * scale);
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 2)
attention_causal_64(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k,
             const __nv_bfloat16* __restrict__ v, __nv_bfloat16* __restrict__ y, int heads, int queries,
             int keys, int head_dim) {
  attention_tile<64>(q, k, v, y, heads, queries, keys, head_dim);
}
extern "C" __global__ void __launch_bounds__(256, 1)
attention_causal_128(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k,
              const __nv_bfloat16* __restrict__ v, __nv_bfloat16* __restrict__ y, int heads, int queries,
              int keys, int head_dim) {
  attention_tile<128>(q, k, v, y, heads, queries, keys, head_dim);
}

// ---- One query per head: bound by reading keys and values, which are divided among blocks ----

__device__ __forceinline__ float dot(const float (&query)[8], const uint4& key) {
  return query[0] * lower(key.x) + query[1] * upper(key.x) + query[2] * lower(key.y) +
         query[3] * upper(key.y) + query[4] * lower(key.z) + query[5] * upper(key.z) +
         query[6] * lower(key.w) + query[7] * upper(key.w);
}

__device__ __forceinline__ void add(float (&result)[8], const uint4& value, float weight) {
  result[0] += weight * lower(value.x);
  result[1] += weight * upper(value.x);
  result[2] += weight * lower(value.y);
  result[3] += weight * upper(value.y);
  result[4] += weight * lower(value.z);
  result[5] += weight * upper(value.z);
  result[6] += weight * lower(value.w);
  result[7] += weight * upper(value.w);
}

// 512 keys for each block, four at a time for each team of 16 lanes, of which each has eight elements.
extern "C" __global__ void __launch_bounds__(256)
attention_causal_parts(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k,
                const __nv_bfloat16* __restrict__ v, float* __restrict__ workspace, int keys, int head_dim) {
  __shared__ float maxima[16];
  __shared__ float sums[16];
  __shared__ float results[16][128];
  const int parts = (keys + 511) / 512;
  const int head = static_cast<int>(blockIdx.x / static_cast<unsigned>(parts));
  const int begin = static_cast<int>(blockIdx.x % static_cast<unsigned>(parts)) * 512;
  const int lane = threadIdx.x % 16;
  const int team = threadIdx.x / 16;
  const bool active = lane * 8 < head_dim;
  const int vectors = head_dim / 8;
  const float factor = kLog2E / sqrtf(static_cast<float>(head_dim));
  const uint4 zeros = make_uint4(0u, 0u, 0u, 0u);
  const uint4 own = active ? __ldg(reinterpret_cast<const uint4*>(q) + static_cast<size_t>(head) * vectors + lane) : zeros;
  const float query[8] = {lower(own.x), upper(own.x), lower(own.y), upper(own.y),
                          lower(own.z), upper(own.z), lower(own.w), upper(own.w)};
  const size_t first = static_cast<size_t>(head) * keys * vectors + lane;
  const auto* own_keys = reinterpret_cast<const uint4*>(k) + first;
  const auto* values = reinterpret_cast<const uint4*>(v) + first;

  float largest = kLowest;
  float sum = 0.0f;
  float result[8] = {};
  for (int start = begin; start < min(begin + 512, keys); start += 64) {
    uint4 key[4];
    uint4 value[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int number = start + i * 16 + team;
      key[i] = active && number < keys ? __ldg(own_keys + static_cast<size_t>(number) * vectors) : zeros;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int number = start + i * 16 + team;
      value[i] = active && number < keys ? __ldg(values + static_cast<size_t>(number) * vectors) : zeros;
    }
    float score[4];
    float greatest = largest;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      score[i] = dot(query, key[i]);
#pragma unroll
      for (int offset = 8; offset > 0; offset /= 2) score[i] += __shfl_xor_sync(kFullMask, score[i], offset);
      if (start + i * 16 + team >= keys) score[i] = -INFINITY;
      greatest = fmaxf(greatest, score[i]);
    }
    const float rescale = power_of_two((largest - greatest) * factor);
    largest = greatest;
    sum *= rescale;
#pragma unroll
    for (int e = 0; e < 8; ++e) result[e] *= rescale;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float weight = power_of_two((score[i] - largest) * factor);
      sum += weight;
      add(result, value[i], weight);
    }
  }

  if (lane == 0) {
    maxima[team] = largest;
    sums[team] = sum;
  }
#pragma unroll
  for (int e = 0; e < 8; ++e) results[team][lane * 8 + e] = result[e];
  __syncthreads();
  if (threadIdx.x >= 128) return;
  float greatest = maxima[0];
  for (int i = 1; i < 16; ++i) greatest = fmaxf(greatest, maxima[i]);
  float total = 0.0f;
  float all = 0.0f;
  for (int i = 0; i < 16; ++i) {
    const float rescale = power_of_two((maxima[i] - greatest) * factor);
    total += sums[i] * rescale;
    all += results[i][threadIdx.x] * rescale;
  }
  float* const out = workspace + static_cast<size_t>(blockIdx.x) * 130;
  out[2 + threadIdx.x] = all;
  if (threadIdx.x == 0) {
    out[0] = greatest;
    out[1] = total;
  }
}

extern "C" __global__ void __launch_bounds__(128)
attention_causal_whole(const float* __restrict__ workspace, __nv_bfloat16* __restrict__ y, int parts, int head_dim) {
  const float* in = workspace + static_cast<size_t>(blockIdx.x) * parts * 130;
  const float factor = kLog2E / sqrtf(static_cast<float>(head_dim));
  float greatest = in[0];
  for (int i = 1; i < parts; ++i) greatest = fmaxf(greatest, in[static_cast<size_t>(i) * 130]);
  float total = 0.0f;
  float all = 0.0f;
  for (int i = 0; i < parts; ++i) {
    const float* part = in + static_cast<size_t>(i) * 130;
    const float rescale = power_of_two((part[0] - greatest) * factor);
    total += part[1] * rescale;
    all += part[2 + threadIdx.x] * rescale;
  }
  const int d = static_cast<int>(threadIdx.x);
  if (d < head_dim) y[static_cast<size_t>(blockIdx.x) * head_dim + d] = __float2bfloat16_rn(all / total);
}
