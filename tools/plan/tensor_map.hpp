// Tensor maps of a launch plan: types and modes by name, and the rules that the driver holds them
// to.
#pragma once

#include "plan/launch_plan.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct TensorMapType {
  std::string_view name;  // a dtype of the op spec, or what only tensor maps know ("tfloat32")
  int code;               // CUtensorMapDataType
  std::int64_t size;      // bytes
  bool floating;
};
// Null when a tensor map knows no such type.
const TensorMapType* find_map_type(std::string_view name);
std::vector<std::string> map_type_names();

// A member that takes one of a few words, whose places are the driver's numbers.
struct TensorMapMode {
  std::string_view member;  // in the plan: "swizzle", ...
  int TensorMapModes::*place;
  std::vector<std::string_view> words;  // the first is the default
};
const std::vector<TensorMapMode>& tensor_map_modes();

// A map as a plan writes it, with what it leaves out: dims of the whole tensor, dense strides,
// single steps, the tensor's dtype. `expression` reads one; its second argument is the member.
struct TensorMapResult {
  TensorMapArgument map;
  std::vector<std::string> faults;
};
TensorMapResult read_tensor_map(
    const Json& json, const OpSpec& spec,
    const std::function<Expression(const Json&, const std::string&)>& expression);

// The numbers of a map, where they are known.
struct KnownTensorMap {
  using Numbers = std::vector<std::optional<std::int64_t>>;
  std::optional<std::int64_t> offset_bytes;
  Numbers dims, stride_bytes, box, element_strides;
  std::optional<std::int64_t> available_bytes;  // of the tensor or workspace
};
// What `value` says of each expression.
template <typename Value>
KnownTensorMap known_map(const TensorMapArgument& map, const Value& value) {
  const auto all = [&](const std::vector<Expression>& expressions, std::string_view what) {
    KnownTensorMap::Numbers numbers;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      numbers.push_back(value(expressions[i], fmt::format("{}[{}]", what, i)));
    }
    return numbers;
  };
  KnownTensorMap known;
  known.offset_bytes = value(map.offset_bytes, "offset_bytes");
  known.dims = all(map.dims, "dims");
  known.stride_bytes = all(map.stride_bytes, "stride_bytes");
  known.box = all(map.box, "box");
  known.element_strides = all(map.element_strides, "element_strides");
  return known;
}

// What is wrong with it, each as "box[0] is 512; ...".
std::vector<std::string> tensor_map_faults(const KnownTensorMap& known,
                                           const TensorMapArgument& map);
// What is wrong whatever the numbers: members that do not go together, and the alignment that the
// spec gives the tensor (0: the workspace).
std::vector<std::string> tensor_map_form_faults(const TensorMapArgument& map,
                                                std::size_t alignment);

// Of a map whose numbers are all known.
detail::TensorMapNumbers numbers_of(const KnownTensorMap& known, const TensorMapArgument& map);

}  // namespace kernelloop
