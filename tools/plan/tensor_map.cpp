#include "plan/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

constexpr std::int64_t k_most_dimension = std::int64_t{1} << 32;
constexpr std::int64_t k_stride_limit = std::int64_t{1} << 40;
constexpr std::int64_t k_most_box = 256;
constexpr std::int64_t k_most_element_stride = 8;
constexpr std::int64_t k_line = 16;  // what TMA moves at least
constexpr int k_interleave_32 = 2;
constexpr int k_swizzle_32 = 1;
constexpr std::size_t k_least_interleaved_rank = 3;

constexpr std::array<TensorMapType, 13> k_types{{{"float64", 8, 8, true},
                                                 {"float32", 7, 4, true},
                                                 {"float16", 6, 2, true},
                                                 {"bfloat16", 9, 2, true},
                                                 {"tfloat32", 11, 4, true},
                                                 {"float8_e4m3", 0, 1, false},
                                                 {"float8_e5m2", 0, 1, false},
                                                 {"int64", 5, 8, false},
                                                 {"int32", 3, 4, false},
                                                 {"int8", 0, 1, false},
                                                 {"uint8", 0, 1, false},
                                                 {"uint16", 1, 2, false},
                                                 {"bool", 0, 1, false}}};

// Addresses and strides are multiples of this.
std::int64_t granularity(const TensorMapArgument& map) {
  return map.modes.interleave == k_interleave_32 ? 2 * k_line : k_line;
}

class MapFaults {
 public:
  MapFaults(const KnownTensorMap& known, const TensorMapArgument& map)
      : known_(known), map_(map), size_(find_map_type(map.dtype)->size) {}

  std::vector<std::string> all() {
    multiple("offset_bytes", known_.offset_bytes, map_.offset_bytes, 0, k_stride_limit * 1024);
    each("dims", known_.dims, map_.dims, 1, k_most_dimension);
    for (std::size_t i = 0; i < known_.stride_bytes.size(); ++i) {
      multiple(fmt::format("stride_bytes[{}]", i), known_.stride_bytes[i], map_.stride_bytes[i],
               granularity(map_), k_stride_limit - 1);
    }
    each("box", known_.box, map_.box, 1, k_most_box);
    each("element_strides", known_.element_strides, map_.element_strides, 1, k_most_element_stride);
    if (!faults_.empty()) return std::move(faults_);  // what follows would only repeat it
    inner_box();
    extent();
    return std::move(faults_);
  }

 private:
  void range(const std::string& what, std::optional<std::int64_t> value,
             const Expression& expression, std::int64_t least, std::int64_t most) {
    if (!value || (*value >= least && *value <= most)) return;
    faults_.push_back(fmt::format("{} is {} (`{}`); it must be {} to {}", what, *value,
                                  expression.text(), least, most));
  }

  void each(const char* what, const KnownTensorMap::Numbers& values,
            const std::vector<Expression>& expressions, std::int64_t least, std::int64_t most) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      range(fmt::format("{}[{}]", what, i), values[i], expressions[i], least, most);
    }
  }

  void multiple(const std::string& what, std::optional<std::int64_t> value,
                const Expression& expression, std::int64_t least, std::int64_t most) {
    if (!value) return;
    if (*value % granularity(map_) != 0) {
      faults_.push_back(
          fmt::format("{} is {} (`{}`), no multiple of {}; leave such shapes to another launch "
                      "(`when`)",
                      what, *value, expression.text(), granularity(map_)));
    } else {
      range(what, value, expression, least, most);
    }
  }

  void inner_box() {
    if (map_.modes.interleave != 0 || !known_.box[0]) return;
    const std::int64_t bytes = *known_.box[0] * size_;
    if (bytes % k_line != 0) {
      faults_.push_back(fmt::format("box[0] is {} elements, {} bytes, no multiple of {}",
                                    *known_.box[0], bytes, k_line));
    }
    const std::int64_t span = k_line << map_.modes.swizzle;  // 32, 64, 128
    if (map_.modes.swizzle != 0 && bytes > span) {
      faults_.push_back(fmt::format(
          "box[0] is {} elements, {} bytes, more than the {} bytes that the swizzle spans; use a "
          "narrower box, and several copies",
          *known_.box[0], bytes, span));
    }
  }

  void extent() {
    const auto unknown = [](const auto& value) { return !value; };
    if (!known_.available_bytes || !known_.offset_bytes ||
        std::ranges::any_of(known_.dims, unknown) ||
        std::ranges::any_of(known_.stride_bytes, unknown)) {
      return;
    }
    const std::int64_t end = detail::map_end(numbers_of(known_, map_), size_);
    if (end >= 0 && end <= *known_.available_bytes) return;
    faults_.push_back(fmt::format(
        "it reaches {} bytes into `{}`, which has {}; correct dims, stride_bytes or offset_bytes",
        end < 0 ? "more than 2^63" : std::to_string(end), map_.tensor, *known_.available_bytes));
  }

  const KnownTensorMap& known_;
  const TensorMapArgument& map_;
  std::int64_t size_;
  std::vector<std::string> faults_;
};

}  // namespace

const TensorMapType* find_map_type(std::string_view name) {
  const auto* found = std::ranges::find(k_types, name, &TensorMapType::name);
  return found == k_types.end() ? nullptr : found;
}

std::vector<std::string> map_type_names() {
  std::vector<std::string> names;
  for (const TensorMapType& type : k_types) names.emplace_back(type.name);
  return names;
}

const std::vector<TensorMapMode>& tensor_map_modes() {
  static const std::vector<TensorMapMode> modes{
      {"interleave", &TensorMapModes::interleave, {"none", "16B", "32B"}},
      {"swizzle", &TensorMapModes::swizzle, {"none", "32B", "64B", "128B"}},
      {"l2_promotion", &TensorMapModes::l2_promotion, {"none", "64B", "128B", "256B"}},
      {"oob_fill", &TensorMapModes::oob_fill, {"zero", "nan"}}};
  return modes;
}

std::vector<std::string> tensor_map_faults(const KnownTensorMap& known,
                                           const TensorMapArgument& map) {
  return MapFaults(known, map).all();
}

std::vector<std::string> tensor_map_form_faults(const TensorMapArgument& map,
                                                std::size_t alignment) {
  std::vector<std::string> faults;
  const std::size_t rank = map.dims.size();
  const auto length = [&](const char* member, std::size_t entries, std::size_t wanted) {
    if (entries == wanted) return;
    faults.push_back(
        fmt::format("{} has {} entries, {} dims need {}", member, entries, rank, wanted));
  };
  length("stride_bytes", map.stride_bytes.size(), rank - 1);
  length("box", map.box.size(), rank);
  length("element_strides", map.element_strides.size(), rank);
  const auto least = static_cast<std::size_t>(granularity(map));
  if (alignment % least != 0) {
    faults.push_back(fmt::format(
        "`{}` is only aligned to {} bytes, a tensor map needs {}; pass its pointer in place of it",
        map.tensor, alignment, least));
  }
  if (map.modes.interleave != 0 && rank < k_least_interleaved_rank) {
    faults.push_back(fmt::format("interleave needs at least {} dims", k_least_interleaved_rank));
  }
  if (map.modes.interleave == k_interleave_32 && map.modes.swizzle != k_swizzle_32) {
    faults.emplace_back("interleave \"32B\" goes with swizzle \"32B\" only");
  }
  if (map.modes.oob_fill != 0 && !find_map_type(map.dtype)->floating) {
    faults.push_back(
        fmt::format("oob_fill \"nan\" needs a floating-point dtype, not {}", map.dtype));
  }
  return faults;
}

detail::TensorMapNumbers numbers_of(const KnownTensorMap& known, const TensorMapArgument& map) {
  detail::TensorMapNumbers numbers{};
  numbers.type = find_map_type(map.dtype)->code;
  numbers.rank = static_cast<int>(map.dims.size());
  numbers.offset_bytes = known.offset_bytes.value_or(0);
  const auto fill = [](const KnownTensorMap::Numbers& values, std::int64_t* to) {
    for (const auto& value : values) *to++ = value.value_or(0);
  };
  fill(known.dims, numbers.dims);
  fill(known.stride_bytes, numbers.stride_bytes);
  fill(known.box, numbers.box);
  fill(known.element_strides, numbers.element_strides);
  numbers.interleave = map.modes.interleave;
  numbers.swizzle = map.modes.swizzle;
  numbers.l2_promotion = map.modes.l2_promotion;
  numbers.oob_fill = map.modes.oob_fill;
  return numbers;
}

}  // namespace kernelloop
