// The comparator on the GPU (cuda_comparator.hpp). Built by nvcc and embedded.
//
// A team of threads (a warp, or a block) takes a unit of the output: it reads the reference, which
// gives the RMS of the slab, then reads it again from the cache beside the candidate. So device
// memory is read once. Slabs longer than a unit are measured by kernels of their own before that,
// which reads the reference twice.
#include "verify/cuda_comparator_parameters.hpp"

namespace kernelloop {
namespace {

constexpr int k_warp = 32;
constexpr int k_warps = static_cast<int>(k_comparator_threads) / k_warp;
constexpr int k_unroll = 4;
constexpr unsigned int k_full = 0xFFFFFFFFu;
constexpr double k_largest = 0x1.fffffffffffffp1023;  // finite

// Finite values of an IEEE-like type of `fraction` bits, moved into double by one multiplication.
__device__ double small_float(unsigned int bits, int fraction, int exponent_bits,
                              bool has_infinity) {
  const unsigned int magnitude = bits & ((1u << (fraction + exponent_bits)) - 1u);
  const bool negative = (bits >> (fraction + exponent_bits)) != 0;
  const unsigned int exponent = magnitude >> fraction;
  const unsigned int rest = magnitude & ((1u << fraction) - 1u);
  const unsigned int top = (1u << exponent_bits) - 1u;
  double value;
  if (has_infinity && exponent == top) {
    value = rest == 0 ? __longlong_as_double(0x7FF0000000000000LL)
                      : __longlong_as_double(0x7FF8000000000000LL);
  } else if (!has_infinity && magnitude == (1u << (fraction + exponent_bits)) - 1u) {
    value = __longlong_as_double(0x7FF8000000000000LL);
  } else {
    const unsigned int significand = exponent == 0 ? rest : rest + (1u << fraction);
    const int power =
        static_cast<int>(exponent == 0 ? 1 : exponent) - static_cast<int>(top / 2) - fraction;
    const double scale =
        __longlong_as_double((1023LL + power) << 52);  // 2^power, a normal number here
    value = static_cast<double>(significand) * scale;
  }
  return negative ? -value : value;
}

// Readers: element i of the candidate as double. The three usual types have kernels of their own.
struct Bfloat16 {
  static __device__ double at(const CudaComparison& job, std::int64_t i) {
    const unsigned int bits = static_cast<const std::uint16_t*>(job.candidate)[i];
    return static_cast<double>(__uint_as_float(bits << 16));
  }
};

struct Float16 {
  static __device__ double at(const CudaComparison& job, std::int64_t i) {
    float value;
    const std::uint16_t bits = static_cast<const std::uint16_t*>(job.candidate)[i];
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return static_cast<double>(value);
  }
};

struct Float32 {
  static __device__ double at(const CudaComparison& job, std::int64_t i) {
    return static_cast<double>(static_cast<const float*>(job.candidate)[i]);
  }
};

struct Other {
  template <typename T>
  static __device__ double plain(const CudaComparison& job, std::int64_t i) {
    return static_cast<double>(static_cast<const T*>(job.candidate)[i]);
  }
  static __device__ double at(const CudaComparison& job, std::int64_t i) {
    const auto byte = [&] { return static_cast<const std::uint8_t*>(job.candidate)[i]; };
    switch (job.element) {
      case CudaElement::float64:
        return plain<double>(job, i);
      case CudaElement::float8_e4m3:
        return small_float(byte(), 3, 4, false);
      case CudaElement::float8_e5m2:
        return small_float(byte(), 2, 5, true);
      case CudaElement::int64:
        return plain<std::int64_t>(job, i);
      case CudaElement::int32:
        return plain<std::int32_t>(job, i);
      case CudaElement::int8:
        return plain<std::int8_t>(job, i);
      case CudaElement::uint8:
        return plain<std::uint8_t>(job, i);
      default:
        return byte() != 0 ? 1.0 : 0.0;
    }
  }
};

// A struct from another lane of the warp, word by word.
template <typename T>
__device__ T from_lane(T value, int distance) {
  static_assert(sizeof(T) % sizeof(long long) == 0);
  constexpr int k_words = sizeof(T) / sizeof(long long);
  long long words[k_words];
  memcpy(words, &value, sizeof value);
#pragma unroll
  for (long long& word : words) word = __shfl_down_sync(k_full, word, distance);
  memcpy(&value, words, sizeof value);
  return value;
}

// The total of a warp, in lane 0. Always in the same order.
template <typename T>
__device__ T warp_total(T value) {
#pragma unroll 1
  for (int distance = k_warp / 2; distance > 0; distance /= 2)
    value.add(from_lane(value, distance));
  return value;
}

// The total of a block, in thread 0.
template <typename T>
__device__ T block_total(T value) {
  __shared__ alignas(16) unsigned char storage[k_warps * sizeof(T)];
  const int lane = threadIdx.x % k_warp;
  const int warp = threadIdx.x / k_warp;
  value = warp_total(value);
  __syncthreads();  // whoever still reads the last total
  if (lane == 0) memcpy(storage + warp * sizeof(T), &value, sizeof value);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int other = 1; other < k_warps; ++other) {
      T more;
      memcpy(&more, storage + other * sizeof(T), sizeof more);
      value.add(more);
    }
  }
  return value;
}

// A team: threads that share a unit.
struct WarpTeam {
  static constexpr int k_size = k_warp;
  static constexpr int k_per_block = k_warps;
  static __device__ int rank() { return threadIdx.x % k_warp; }
  static __device__ int number() { return threadIdx.x / k_warp; }
  static __device__ double root_mean(const ScaleSums& mine) {
    return __shfl_sync(k_full, warp_total(mine).root_mean(), 0);
  }
};

struct BlockTeam {
  static constexpr int k_size = static_cast<int>(k_comparator_threads);
  static constexpr int k_per_block = 1;
  static __device__ int rank() { return threadIdx.x; }
  static __device__ int number() { return 0; }
  static __device__ double root_mean(const ScaleSums& mine) {
    __shared__ double root;
    const ScaleSums all = block_total(mine);
    if (threadIdx.x == 0) root = all.root_mean();
    __syncthreads();
    return root;
  }
};

struct Unit {
  std::int64_t slab;
  std::int64_t begin;
  std::int64_t end;
};

__device__ Unit unit_at(const CudaComparison& job, std::int64_t number) {
  const std::int64_t slab = number / job.units_per_slab;
  const std::int64_t begin = slab * job.slab + number % job.units_per_slab * job.unit;
  const std::int64_t slab_end = (slab + 1) * job.slab;
  return {slab, begin, begin + job.unit < slab_end ? begin + job.unit : slab_end};
}

__device__ std::int64_t unit_count(const CudaComparison& job) {
  return job.count / job.slab * job.units_per_slab;
}

// A thread's share of a unit.
template <typename Team>
__device__ ScaleSums measure(const CudaComparison& job, const Unit& unit) {
  ScaleSums scale;
  for (std::int64_t start = unit.begin + Team::rank(); start < unit.end;
       start += Team::k_size * k_unroll) {
    double values[k_unroll];
#pragma unroll
    for (int k = 0; k < k_unroll; ++k) {
      const std::int64_t i = start + k * Team::k_size;
      values[k] = i < unit.end ? job.reference[i] : 0.0;
    }
#pragma unroll
    for (int k = 0; k < k_unroll; ++k) {
      const std::int64_t i = start + k * Team::k_size;
      const double size = magnitude_of(values[k]);
      if (size <= job.with.limit) {
        scale.squares += size * size;
        scale.finite += i < unit.end ? 1 : 0;
        scale.largest = larger(size, scale.largest);
      } else if (size != size) {
        PanelSums::keep_first(scale.first_nan, i);
      }
    }
  }
  return scale;
}

// A thread's sums; its ratios are its warp's.
class Comparer {
 public:
  explicit __device__ Comparer(const CudaComparison& job) : job_(job) {}

  // Called by whole warps: `active` says whether this thread has an element.
  __device__ __forceinline__ void add(std::int64_t index, bool active, double got, double expected,
                                      double rms) {
    const double size = magnitude_of(expected);
    // NaN fails both comparisons.
    if (active && (!(size <= job_.with.limit) || !(magnitude_of(got) <= k_largest))) {
      if (is_unequal_class(job_.with, got, expected)) sums_.add_unequal_class(index, got);
      active = false;
    }
    double terms = estimated_terms(job_.with, size, rms);
    if (job_.magnitude != nullptr && active) terms = job_.magnitude[index];
    const ElementError<double> one(job_.with, got, expected, size, rms, terms);
    if (active) {
      one.add_to(sums_.totals);
      ++sums_.compared;
      if (sums_.worst < 0) sums_.worst = index;  // where nothing is wrong at all
    }
    if (__any_sync(k_full, active && one.may_exceed(sums_.ratios))) raise(one, active, index);
  }

  __device__ const PanelSums& sums() const { return sums_; }

 private:
  // Few elements get here: each lane raises its ratios, and the warp agrees on the greatest.
  __device__ __forceinline__ void raise(const ElementError<double>& one, bool active,
                                        std::int64_t index) {
    Ratios<double> ratios = sums_.ratios;
    if (active) {
      one.raise(ratios);
      const double elementwise = one.elementwise();
      if (elementwise > sums_.ratios.elementwise) {
        sums_.worst = index;
      } else if (elementwise == sums_.ratios.elementwise) {
        PanelSums::keep_first(sums_.worst, index);
      }
    }
    double mine = ratios.elementwise;
#pragma unroll 1
    for (int distance = k_warp / 2; distance > 0; distance /= 2) {
      ratios.relative = larger(ratios.relative, across(ratios.relative, distance));
      ratios.ulp = larger(ratios.ulp, across(ratios.ulp, distance));
      ratios.relative_bound =
          larger(ratios.relative_bound, across(ratios.relative_bound, distance));
      const double other = across(mine, distance);
      const std::int64_t other_worst =
          __shfl_xor_sync(k_full, static_cast<long long>(sums_.worst), distance);
      if (other > mine) {
        mine = other;
        sums_.worst = other_worst;
      } else if (other == mine) {
        PanelSums::keep_first(sums_.worst, other_worst);
      }
    }
    ratios.elementwise = mine;
    sums_.ratios = ratios;
  }

  static __device__ double across(double value, int distance) {
    return __shfl_xor_sync(k_full, value, distance);
  }

  const CudaComparison& job_;
  PanelSums sums_;
};

template <typename Element, typename Team>
__device__ void compare_units(const CudaComparison& job, CudaPart* parts) {
  Comparer comparer(job);
  ScaleSums scale;
  const std::int64_t units = unit_count(job);
  const std::int64_t teams = static_cast<std::int64_t>(gridDim.x) * Team::k_per_block;
  for (std::int64_t number =
           static_cast<std::int64_t>(blockIdx.x) * Team::k_per_block + Team::number();
       number < units; number += teams) {
    const Unit unit = unit_at(job, number);
    double rms;
    if (job.slab_rms != nullptr) {
      rms = job.slab_rms[unit.slab];
    } else {
      const ScaleSums mine = measure<Team>(job, unit);
      rms = Team::root_mean(mine);
      scale.add(mine);
    }
    for (std::int64_t start = unit.begin; start < unit.end; start += Team::k_size * k_unroll) {
      double got[k_unroll];
      double expected[k_unroll];
#pragma unroll
      for (int k = 0; k < k_unroll; ++k) {
        const std::int64_t i = start + k * Team::k_size + Team::rank();
        const bool active = i < unit.end;
        got[k] = active ? Element::at(job, i) : 0.0;
        expected[k] = active ? job.reference[i] : 0.0;
      }
#pragma unroll
      for (int k = 0; k < k_unroll; ++k) {
        const std::int64_t i = start + k * Team::k_size + Team::rank();
        comparer.add(i, i < unit.end, got[k], expected[k], rms);
      }
    }
  }
  const PanelSums panel = block_total(comparer.sums());
  scale = block_total(scale);
  if (threadIdx.x != 0) return;
  parts[blockIdx.x].panel = panel;
  // Else the scale is there already.
  if (job.slab_rms == nullptr) parts[blockIdx.x].scale = scale;
}

}  // namespace
}  // namespace kernelloop

#define KERNELLOOP_COMPARATOR(name, element)                                                   \
  extern "C" __global__ void __launch_bounds__(kernelloop::k_comparator_threads, 2)            \
      kernelloop_compare_warps_##name(const __grid_constant__ kernelloop::CudaComparison job,  \
                                      kernelloop::CudaPart* parts) {                           \
    kernelloop::compare_units<kernelloop::element, kernelloop::WarpTeam>(job, parts);          \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(kernelloop::k_comparator_threads, 2)            \
      kernelloop_compare_blocks_##name(const __grid_constant__ kernelloop::CudaComparison job, \
                                       kernelloop::CudaPart* parts) {                          \
    kernelloop::compare_units<kernelloop::element, kernelloop::BlockTeam>(job, parts);         \
  }

KERNELLOOP_COMPARATOR(bfloat16, Bfloat16)
KERNELLOOP_COMPARATOR(float16, Float16)
KERNELLOOP_COMPARATOR(float32, Float32)
KERNELLOOP_COMPARATOR(other, Other)

// The squares of each unit of slabs that are cut, and the scale of the whole.
extern "C" __global__ void __launch_bounds__(kernelloop::k_comparator_threads)
    kernelloop_measure_units(const __grid_constant__ kernelloop::CudaComparison job,
                             kernelloop::ScaleSums* units, kernelloop::CudaPart* parts) {
  using namespace kernelloop;
  ScaleSums scale;
  const std::int64_t count = unit_count(job);
  for (std::int64_t number = blockIdx.x; number < count; number += gridDim.x) {
    const ScaleSums unit = block_total(measure<BlockTeam>(job, unit_at(job, number)));
    if (threadIdx.x == 0) {
      units[number] = unit;
      scale.add(unit);
    }
  }
  if (threadIdx.x == 0) parts[blockIdx.x].scale = scale;
}

// The RMS of each slab from those of its units.
extern "C" __global__ void __launch_bounds__(kernelloop::k_comparator_threads)
    kernelloop_slab_rms(const __grid_constant__ kernelloop::CudaComparison job,
                        const kernelloop::ScaleSums* units, double* slab_rms) {
  using namespace kernelloop;
  const std::int64_t slabs = job.count / job.slab;
  for (std::int64_t slab = blockIdx.x; slab < slabs; slab += gridDim.x) {
    ScaleSums scale;
    for (std::int64_t i = threadIdx.x; i < job.units_per_slab; i += blockDim.x) {
      scale.add(units[slab * job.units_per_slab + i]);
    }
    scale = block_total(scale);
    if (threadIdx.x == 0) slab_rms[slab] = scale.root_mean();
  }
}
