// What the comparator's kernels and their caller agree on. Plain C++17 for nvcc's sake.
#pragma once

#include "verify/panel_sums.hpp"

#include <cstdint>

namespace kernelloop {

// How the kernels read an element of the candidate.
enum class CudaElement : std::int32_t {
  bfloat16,
  float16,
  float32,
  float64,
  float8_e4m3,
  float8_e5m2,
  int64,
  int32,
  int8,
  uint8,
  boolean,
};

// Work is dealt out in units: whole slabs, or pieces of k_longest_unit elements where slabs are
// longer. A unit's reference fits into the first-level cache, from where it is read again once the
// RMS of its slab is known.
inline constexpr std::int64_t k_longest_warp_unit = 1024;
inline constexpr std::int64_t k_longest_unit = 8192;
inline constexpr unsigned int k_comparator_threads = 256;
// As many on every GPU: the order of a sum must not depend on the number of multiprocessors.
inline constexpr unsigned int k_comparator_blocks = 2112;

struct CudaComparison {
  const void* candidate = nullptr;
  const double* reference = nullptr;
  const double* magnitude = nullptr;  // nullptr: estimated
  const double* slab_rms = nullptr;  // of each slab, where slabs are cut; nullptr: found as it goes
  std::int64_t count = 0;
  std::int64_t slab = 1;
  std::int64_t unit = 1;            // elements
  std::int64_t units_per_slab = 1;  // the last may be shorter
  CudaElement element = CudaElement::bfloat16;
  Yardsticks with;
};

// What one block of threads leaves.
struct CudaPart {
  PanelSums panel;
  ScaleSums scale;
};

}  // namespace kernelloop
