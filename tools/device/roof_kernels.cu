// Kernels that do one thing as fast as a GPU can; see cuda_roofs.hpp for who calls them.
//
// Arithmetic is written in PTX, `volatile`, so that no compiler folds or drops it. All data are
// random: units that multiply zeros draw less power and run at higher clocks.

using Word = unsigned long long;

namespace {

__device__ __forceinline__ Word mixed(Word value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

constexpr int k_chains = 8;   // independent sums of a thread
constexpr int k_unroll = 16;  // steps of each in an iteration

}  // namespace

// --- memory: one tile of 4 * blockDim.x units of 16 bytes per block ---------------------------

extern "C" __global__ void kernelloop_roof_read(const uint4* from, uint4* sink, Word count) {
  const Word base = static_cast<Word>(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
  uint4 value[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const Word i = base + static_cast<Word>(k) * blockDim.x;
    if (i < count) value[k] = from[i];
  }
  unsigned int all = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) all ^= value[k].x ^ value[k].y ^ value[k].z ^ value[k].w;
  if (all == 0x12345678u) sink[0].x = all;
}

extern "C" __global__ void kernelloop_roof_write(uint4* to, Word count) {
  const Word base = static_cast<Word>(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
  const Word random = mixed(base + 1);
  const uint4 value{static_cast<unsigned int>(random), static_cast<unsigned int>(random >> 32),
                    static_cast<unsigned int>(random >> 16), static_cast<unsigned int>(base)};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const Word i = base + static_cast<Word>(k) * blockDim.x;
    if (i < count) to[i] = value;
  }
}

// Copies with one tile of blockDim.x or 4 * blockDim.x units of 16 bytes per block.
extern "C" __global__ void kernelloop_roof_copy1(const uint4* from, uint4* to, Word count) {
  const Word i = static_cast<Word>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

extern "C" __global__ void kernelloop_roof_copy4(const uint4* from, uint4* to, Word count) {
  const Word base = static_cast<Word>(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
  uint4 value[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const Word i = base + static_cast<Word>(k) * blockDim.x;
    if (i < count) value[k] = from[i];
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const Word i = base + static_cast<Word>(k) * blockDim.x;
    if (i < count) to[i] = value[k];
  }
}

// One unit of 16 bytes a thread, which is the fastest where two streams come in.
extern "C" __global__ void kernelloop_roof_triad(const float4* a, const float4* b, float4* to,
                                                 Word count) {
  const Word i = static_cast<Word>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 x = a[i];
  const float4 y = b[i];
  to[i] = {x.x + 3.0f * y.x, x.y + 3.0f * y.y, x.z + 3.0f * y.z, x.w + 3.0f * y.w};
}

extern "C" __global__ void kernelloop_roof_shared(Word iterations, unsigned int* sink) {
  extern __shared__ uint4 tile[];
  for (unsigned int i = threadIdx.x; i < 2048; i += blockDim.x) {
    const Word random = mixed(i + 1);
    tile[i] = {static_cast<unsigned int>(random), static_cast<unsigned int>(random >> 32), i, 1u};
  }
  __syncthreads();
  const auto base = static_cast<unsigned int>(__cvta_generic_to_shared(tile)) + threadIdx.x * 16;
  unsigned int all = 0;
  for (Word n = 0; n < iterations; ++n) {
#pragma unroll
    for (int k = 0; k < k_chains * k_unroll; ++k) {
      uint4 value;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                   : "r"(base + (k % 4) * 8192u));
      all ^= value.x;
    }
  }
  if (all == 0x12345678u) *sink = all;
}

// --- arithmetic: k_chains * k_unroll instructions an iteration and thread ---------------------

#define KERNELLOOP_ROOF_ARITHMETIC(name, type, constraint, instruction, start, factor, term)   \
  extern "C" __global__ void kernelloop_roof_##name(Word iterations, unsigned int* sink) {     \
    type value[k_chains];                                                                      \
    for (int c = 0; c < k_chains; ++c) value[c] = start;                                       \
    const type a = factor;                                                                     \
    const type b = term;                                                                       \
    for (Word n = 0; n < iterations; ++n) {                                                    \
      _Pragma("unroll") for (int k = 0; k < k_unroll; ++k) {                                   \
        _Pragma("unroll") for (int c = 0; c < k_chains; ++c) {                                 \
          asm volatile(instruction : "+" constraint(value[c]) : constraint(a), constraint(b)); \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
    type all = value[0];                                                                       \
    for (int c = 1; c < k_chains; ++c) all += value[c];                                        \
    if (all == static_cast<type>(0x1234567)) *sink = 1;                                        \
  }

#define KERNELLOOP_LANE static_cast<float>(mixed(threadIdx.x + 1) >> 40) * 0x1p-24f

KERNELLOOP_ROOF_ARITHMETIC(fp32, float, "f", "fma.rn.f32 %0, %0, %1, %2;", KERNELLOOP_LANE + c,
                           0.999f - 0.01f * KERNELLOOP_LANE, 0.001f + KERNELLOOP_LANE)
KERNELLOOP_ROOF_ARITHMETIC(fp64, double, "d", "fma.rn.f64 %0, %0, %1, %2;", KERNELLOOP_LANE + c,
                           0.999 - 0.01 * KERNELLOOP_LANE, 0.001 + KERNELLOOP_LANE)
KERNELLOOP_ROOF_ARITHMETIC(int32, int, "r", "mad.lo.s32 %0, %0, %1, %2;",
                           static_cast<int>(mixed(threadIdx.x * 8 + c)),
                           static_cast<int>(mixed(threadIdx.x)) | 1,
                           static_cast<int>(mixed(threadIdx.x + 7)))
// Two numbers of 16 bits in a word: 0.998 and 0.5 or so, whatever lane.
KERNELLOOP_ROOF_ARITHMETIC(fp16, unsigned int, "r", "fma.rn.f16x2 %0, %0, %1, %2;",
                           0x38003a00u + threadIdx.x + c, 0x3bf03be0u - threadIdx.x % 32,
                           0x30003400u)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
KERNELLOOP_ROOF_ARITHMETIC(bf16, unsigned int, "r", "fma.rn.bf16x2 %0, %0, %1, %2;",
                           0x3f003f20u + threadIdx.x % 64 + c, 0x3f7c3f78u - threadIdx.x % 4,
                           0x3e003e80u)
#endif
// A root goes through the special-function unit like an exponential. No reciprocal: ptxas makes
// nothing of two in a row.
KERNELLOOP_ROOF_ARITHMETIC(sfu, float, "f", "rsqrt.approx.ftz.f32 %0, %0; // %1 %2",
                           KERNELLOOP_LANE + 0.5f + c, 0.0f, 0.0f)

// --- tensor cores --------------------------------------------------------------------------

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace {

// Words whose bytes or halves are numbers of 0.5 to 1 of either sign in the type that `keep` and
// `set` make; both are masks.
__device__ __forceinline__ unsigned int operand(Word place, unsigned int keep, unsigned int set) {
  return (static_cast<unsigned int>(mixed(place + 1)) & keep) | set;
}

struct Bf16 {
  static constexpr unsigned int keep = 0x807f807fu, set = 0x3f003f00u;
};
struct Fp16 {
  static constexpr unsigned int keep = 0x83ff83ffu, set = 0x38003800u;
};
struct Tf32 {
  static constexpr unsigned int keep = 0x807fe000u, set = 0x3f000000u;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
struct Fp8 {
  static constexpr unsigned int keep = 0x87878787u, set = 0x30303030u;
};
#endif
struct Int8 {
  static constexpr unsigned int keep = 0xffffffffu, set = 0u;
};

}  // namespace

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// m64n256 over 32 bytes of k, both operands in shared memory with the 128-byte swizzle: what the
// fastest matrix products of Hopper consist of.
#define KERNELLOOP_REGISTERS                                                                     \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                      \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "   \
  "%127}"
#define KERNELLOOP_ACC4(c, d, i) "+" c(d[i]), "+" c(d[i + 1]), "+" c(d[i + 2]), "+" c(d[i + 3])
#define KERNELLOOP_ACC16(c, d, i)                                                       \
  KERNELLOOP_ACC4(c, d, i), KERNELLOOP_ACC4(c, d, i + 4), KERNELLOOP_ACC4(c, d, i + 8), \
      KERNELLOOP_ACC4(c, d, i + 12)
#define KERNELLOOP_ACC128(c, d)                                                           \
  KERNELLOOP_ACC16(c, d, 0), KERNELLOOP_ACC16(c, d, 16), KERNELLOOP_ACC16(c, d, 32),      \
      KERNELLOOP_ACC16(c, d, 48), KERNELLOOP_ACC16(c, d, 64), KERNELLOOP_ACC16(c, d, 80), \
      KERNELLOOP_ACC16(c, d, 96), KERNELLOOP_ACC16(c, d, 112)

#define KERNELLOOP_WGMMA(shape, tail, a, b) \
  " wgmma.mma_async.sync.aligned." shape " " KERNELLOOP_REGISTERS ", " a ", " b ", p" tail ";"
// The descriptors of A are operands 128 to 131, those of B 132 to 135.
#define KERNELLOOP_WGMMA4(shape, tail)          \
  KERNELLOOP_WGMMA(shape, tail, "%128", "%132") \
  KERNELLOOP_WGMMA(shape, tail, "%129", "%133") \
  KERNELLOOP_WGMMA(shape, tail, "%130", "%134") \
  KERNELLOOP_WGMMA(shape, tail, "%131", "%135")

#define KERNELLOOP_ROOF_TENSOR(name, operands, sum, constraint, shape, tail)                     \
  extern "C" __global__ void __launch_bounds__(256, 1)                                           \
      kernelloop_roof_##name(Word iterations, unsigned int* sink) {                              \
    extern __shared__ __align__(1024) unsigned int memory[];                                     \
    /* 8 KiB of A for each of two warp groups, 32 KiB of B for both. */                          \
    for (unsigned int i = threadIdx.x; i < (48u << 10) / 4; i += blockDim.x) {                   \
      memory[i] = operand(i + blockIdx.x * 65536u, operands::keep, operands::set);               \
    }                                                                                            \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                 \
    __syncthreads();                                                                             \
    const auto base = static_cast<unsigned int>(__cvta_generic_to_shared(memory));               \
    /* Start address / 16, stride of 8 rows (1024 bytes) / 16, 128-byte swizzle. */              \
    const Word layout = (Word{64} << 32) | (Word{1} << 62) | (Word{1} << 16);                    \
    const Word a = layout | ((base + (threadIdx.x / 128) * 8192u) >> 4 & 0x3fffu);               \
    const Word b = layout | ((base + 16384u) >> 4 & 0x3fffu);                                    \
    sum d[128];                                                                                  \
    for (int i = 0; i < 128; ++i) d[i] = 0;                                                      \
    _Pragma("unroll 1") for (Word n = 0; n < iterations; ++n) {                                  \
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                    \
      /* In one piece: sixteen statements keep the compiler busy for seconds. */                 \
      asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;" KERNELLOOP_WGMMA4(shape, tail)         \
                       KERNELLOOP_WGMMA4(shape, tail) KERNELLOOP_WGMMA4(shape, tail)             \
                           KERNELLOOP_WGMMA4(shape, tail) "}"                                    \
                   : KERNELLOOP_ACC128(constraint, d)                                            \
                   : "l"(a), "l"(a + 2), "l"(a + 4), "l"(a + 6), "l"(b), "l"(b + 2), "l"(b + 4), \
                     "l"(b + 6));                                                                \
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                             \
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                             \
    }                                                                                            \
    sum all = 0;                                                                                 \
    for (int i = 0; i < 128; ++i) all += d[i];                                                   \
    if (all == static_cast<sum>(0x1234567)) *sink = 1;                                           \
  }

KERNELLOOP_ROOF_TENSOR(bf16_tensor, Bf16, float, "f", "m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0")
KERNELLOOP_ROOF_TENSOR(fp16_tensor, Fp16, float, "f", "m64n256k16.f32.f16.f16", ", 1, 1, 0, 0")
KERNELLOOP_ROOF_TENSOR(tf32_tensor, Tf32, float, "f", "m64n256k8.f32.tf32.tf32", ", 1, 1")
KERNELLOOP_ROOF_TENSOR(fp8_tensor, Fp8, float, "f", "m64n256k32.f32.e4m3.e4m3", ", 1, 1")
KERNELLOOP_ROOF_TENSOR(int8_tensor, Int8, int, "r", "m64n256k32.s32.s8.s8", "")

#else

// A warp's m16n8 over 32 bytes of k; eight independent sums.
#define KERNELLOOP_ROOF_TENSOR(name, operands, sum, constraint, shape)                     \
  extern "C" __global__ void kernelloop_roof_##name(Word iterations, unsigned int* sink) { \
    unsigned int a[4];                                                                     \
    unsigned int b[2];                                                                     \
    for (int i = 0; i < 4; ++i)                                                            \
      a[i] = operand(threadIdx.x * 8 + i, operands::keep, operands::set);                  \
    for (int i = 0; i < 2; ++i)                                                            \
      b[i] = operand(threadIdx.x * 8 + 4 + i, operands::keep, operands::set);              \
    sum d[8][4] = {};                                                                      \
    for (Word n = 0; n < iterations; ++n) {                                                \
      _Pragma("unroll") for (int k = 0; k < 16; ++k) {                                     \
        sum* s = d[k % 8];                                                                 \
        asm volatile("mma.sync.aligned." shape                                             \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"    \
                     : "+" constraint(s[0]), "+" constraint(s[1]), "+" constraint(s[2]),   \
                       "+" constraint(s[3])                                                \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));  \
      }                                                                                    \
    }                                                                                      \
    sum all = 0;                                                                           \
    for (int k = 0; k < 8; ++k) all += d[k][0] + d[k][1] + d[k][2] + d[k][3];              \
    if (all == static_cast<sum>(0x1234567)) *sink = 1;                                     \
  }

KERNELLOOP_ROOF_TENSOR(bf16_tensor, Bf16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
KERNELLOOP_ROOF_TENSOR(fp16_tensor, Fp16, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
KERNELLOOP_ROOF_TENSOR(tf32_tensor, Tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
KERNELLOOP_ROOF_TENSOR(fp8_tensor, Fp8, float, "f", "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#endif
KERNELLOOP_ROOF_TENSOR(int8_tensor, Int8, int, "r", "m16n8k32.row.col.s32.s8.s8.s32")

#endif
#endif

extern "C" __global__ void kernelloop_roof_launch() {}
