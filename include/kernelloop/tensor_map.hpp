// A tensor map (the descriptor of a TMA copy) in numbers: what the tools and generated launchers
// hand to the driver. C++17 and nothing else.
#pragma once

#include <cstdint>

namespace kernelloop::detail {

inline constexpr int k_most_map_dimensions = 5;

// Dimensions begin with the contiguous one. The last five members and `type` are values of the
// driver's enumerations (CU_TENSOR_MAP_...).
struct TensorMapNumbers {
  int type;
  int rank;
  std::int64_t offset_bytes;  // of the first element, from the begin of the tensor or workspace
  std::int64_t dims[k_most_map_dimensions];              // elements
  std::int64_t stride_bytes[k_most_map_dimensions - 1];  // of dims[1], dims[2], ...
  std::int64_t box[k_most_map_dimensions];               // elements
  std::int64_t element_strides[k_most_map_dimensions];
  int interleave;
  int swizzle;
  int l2_promotion;
  int oob_fill;
};

// The bytes from the begin of the tensor to the end of the map's last element; -1 when that, or a
// number in it, is none (negative, or beyond 64 bits).
constexpr std::int64_t map_end(const TensorMapNumbers& map, std::int64_t element_size) noexcept {
  std::int64_t end = 0;
  if (map.offset_bytes < 0 || __builtin_add_overflow(map.offset_bytes, element_size, &end)) {
    return -1;
  }
  for (int i = 0; i < map.rank; ++i) {
    const std::int64_t stride = i == 0 ? element_size : map.stride_bytes[i - 1];
    std::int64_t extent = 0;
    if (map.dims[i] < 1 || stride < 0 || __builtin_mul_overflow(map.dims[i] - 1, stride, &extent) ||
        __builtin_add_overflow(end, extent, &end)) {
      return -1;
    }
  }
  return end;
}

}  // namespace kernelloop::detail
