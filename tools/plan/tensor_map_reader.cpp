#include "plan/tensor_map.hpp"
#include "support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

using ReadExpression = std::function<Expression(const Json&, const std::string&)>;

class MapReader {
 public:
  MapReader(const Json& json, const OpSpec& spec, const ReadExpression& expression)
      : json_(json), spec_(spec), expression_(expression) {}

  TensorMapResult read() {
    TensorMapArgument& map = result_.map;
    map.tensor = json_["tensor"].get<std::string>();
    const Tensor* tensor = spec_.find_tensor(map.tensor);
    const bool scratch = map.tensor == k_workspace_name;
    if (!scratch && (tensor == nullptr || tensor->scalar)) {
      fault(fmt::format("`{}` is no tensor of the op; {}", map.tensor,
                        name_hint(map.tensor, tensor_names())));
      return std::move(result_);
    }
    map.dtype =
        json_.value("dtype", scratch ? std::string() : std::string(info(tensor->dtype).name));
    if (find_map_type(map.dtype) == nullptr) {
      fault(map.dtype.empty() ? "a map of the workspace needs `dtype`"
                              : fmt::format("`{}` is no dtype of a tensor map; {}", map.dtype,
                                            name_hint(map.dtype, map_type_names())));
      return std::move(result_);
    }
    if (json_.contains("offset_bytes")) {
      map.offset_bytes = expression_(json_["offset_bytes"], "offset_bytes");
    }
    map.box = list("box");
    map.dims = json_.contains("dims") ? list("dims") : whole(tensor);
    if (map.dims.empty()) {
      fault(scratch ? "a map of the workspace needs `dims`"
                    : fmt::format("`{}` has {} dimensions, a tensor map 1 to 5; set `dims`",
                                  map.tensor, tensor->shape.size()));
      return std::move(result_);
    }
    map.stride_bytes = json_.contains("stride_bytes") ? list("stride_bytes") : dense();
    map.element_strides = json_.contains("element_strides")
                              ? list("element_strides")
                              : std::vector<Expression>(map.dims.size(), Expression::constant(1));
    modes();
    // cudaMalloc's alignment for the workspace.
    for (std::string& text :
         tensor_map_form_faults(map, scratch ? std::size_t{256} : tensor->alignment)) {
      fault(std::move(text));
    }
    return std::move(result_);
  }

 private:
  void fault(std::string text) { result_.faults.push_back(std::move(text)); }

  [[nodiscard]] std::vector<std::string> tensor_names() const {
    std::vector<std::string> names;
    for (const auto* tensors : {&spec_.inputs, &spec_.outputs}) {
      for (const Tensor& tensor : *tensors) {
        if (!tensor.scalar) names.push_back(tensor.name);
      }
    }
    names.emplace_back(k_workspace_name);
    return names;
  }

  std::vector<Expression> list(const std::string& member) {
    std::vector<Expression> expressions;
    for (std::size_t i = 0; i < json_[member].size(); ++i) {
      expressions.push_back(expression_(json_[member][i], fmt::format("{}/{}", member, i)));
    }
    return expressions;
  }

  // The tensor's shape, contiguous dimension first; empty where a map cannot have it.
  static std::vector<Expression> whole(const Tensor* tensor) {
    std::vector<Expression> dims;
    if (tensor == nullptr || tensor->shape.size() > detail::k_most_map_dimensions) return dims;
    for (const std::string& dimension : tensor->shape) dims.push_back(Expression::parse(dimension));
    std::ranges::reverse(dims);
    return dims;
  }

  [[nodiscard]] std::vector<Expression> dense() const {
    std::vector<Expression> strides;
    std::string bytes = std::to_string(find_map_type(result_.map.dtype)->size);
    for (std::size_t i = 0; i + 1 < result_.map.dims.size(); ++i) {
      bytes = fmt::format("({}) * {}", result_.map.dims[i].text(), bytes);
      strides.push_back(Expression::parse(bytes));
    }
    return strides;
  }

  void modes() {
    for (const TensorMapMode& mode : tensor_map_modes()) {
      const std::string member(mode.member);
      const std::string word = json_.value(member, std::string(mode.words.front()));
      const auto found = std::ranges::find(mode.words, word);
      if (found == mode.words.end()) {
        fault(fmt::format("{} is `{}`; it must be one of {}", member, word,
                          fmt::join(mode.words, ", ")));
      } else {
        result_.map.modes.*mode.place = static_cast<int>(found - mode.words.begin());
      }
    }
  }

  const Json& json_;
  const OpSpec& spec_;
  const ReadExpression& expression_;
  TensorMapResult result_;
};

}  // namespace

TensorMapResult read_tensor_map(const Json& json, const OpSpec& spec,
                                const ReadExpression& expression) {
  return MapReader(json, spec, expression).read();
}

}  // namespace kernelloop
