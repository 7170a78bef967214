// Questions that every kind of argument answers.
#include "plan/launch_plan.hpp"
#include "plan/launch_rules.hpp"

#include <fmt/format.h>

namespace kernelloop {

std::string tensor_of(const Argument& argument) {
  if (const auto* tensor = std::get_if<TensorArgument>(&argument)) return tensor->tensor;
  const auto* map = std::get_if<TensorMapArgument>(&argument);
  return map != nullptr && map->tensor != k_workspace_name ? map->tensor : std::string();
}

bool uses_workspace(const Argument& argument) {
  if (std::holds_alternative<WorkspaceArgument>(argument)) return true;
  const auto* map = std::get_if<TensorMapArgument>(&argument);
  return map != nullptr && map->tensor == k_workspace_name;
}

std::vector<const Expression*> expressions_of(const Argument& argument) {
  if (const auto* integer = std::get_if<IntegerArgument>(&argument)) return {&integer->value};
  if (const auto* scratch = std::get_if<WorkspaceArgument>(&argument)) return {&scratch->offset};
  const auto* map = std::get_if<TensorMapArgument>(&argument);
  if (map == nullptr) return {};
  std::vector<const Expression*> all{&map->offset_bytes};
  for (const auto* list : {&map->dims, &map->stride_bytes, &map->box, &map->element_strides}) {
    for (const Expression& one : *list) all.push_back(&one);
  }
  return all;
}

std::string argument_text(const Argument& argument) {
  struct Text {
    std::string operator()(const TensorArgument& tensor) const { return tensor.tensor; }
    std::string operator()(const ScalarArgument& scalar) const { return scalar.input; }
    std::string operator()(const IntegerArgument& integer) const { return integer.value.text(); }
    std::string operator()(const WorkspaceArgument& workspace) const {
      return workspace.offset.text() == "0" ? "workspace"
                                            : "workspace + " + workspace.offset.text();
    }
    std::string operator()(const TensorMapArgument& map) const {
      return fmt::format("tensor_map of {}", map.tensor);
    }
  };
  return std::visit(Text{}, argument);
}

}  // namespace kernelloop
