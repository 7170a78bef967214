#include "product/launcher_axes.hpp"

#include "plan/tensor_map.hpp"
#include "spec/names.hpp"
#include "spec/variable_axes.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

namespace kernelloop {
namespace {

void require_cpp_name(std::string_view what, const std::string& name) {
  if (const std::string fault = name_fault(name); !fault.empty()) {
    fail(ExitCode::bad_input, "{} '{}' of the op spec {}", what, name, fault);
  }
}

// Axes in an order in which each formula only uses earlier ones. The spec has no cycles.
std::vector<const Axis*> ordered_axes(const OpSpec& spec) {
  std::vector<const Axis*> ordered;
  std::set<std::string> known;
  while (ordered.size() < spec.axes.size()) {
    const std::size_t before = ordered.size();
    for (const Axis& axis : spec.axes) {
      const bool ready = !axis.formula ||
                         std::all_of(axis.formula->names().begin(), axis.formula->names().end(),
                                     [&](const std::string& name) { return known.contains(name); });
      if (ready && known.insert(axis.name).second) {
        ordered.push_back(&axis);
      }
    }
    if (ordered.size() == before) {
      fail(ExitCode::bad_input, "the axes of {} define each other in a circle", spec.name);
    }
  }
  return ordered;
}

std::string initial_value(const Axis& axis) {
  switch (axis.kind) {
    case Axis::Kind::constant:
      return fmt::format("std::int64_t{{{}}}, &kl_failed", axis.value);
    case Axis::Kind::variable:
      return fmt::format("kl_{}, &kl_failed", axis.name);
    case Axis::Kind::expression:
      break;
  }
  return expression_text(*axis.formula);
}

std::string constructor_text(const OpSpec& spec, const std::vector<const Axis*>& ordered) {
  std::string parameters;
  for (const std::string& name : variable_axes(spec)) {
    fmt::format_to(std::back_inserter(parameters), "{}std::int64_t kl_{}",
                   parameters.empty() ? "" : ", ", name);
  }
  std::string initializers;
  for (const Axis* axis : ordered) {
    fmt::format_to(std::back_inserter(initializers), "{}{}({})",
                   initializers.empty() ? " : " : ", ", axis->name, initial_value(*axis));
  }
  return fmt::format("  {}Axes({}) noexcept{} {{}}\n",
                     variable_axes(spec).size() == 1 ? "explicit " : "", parameters, initializers);
}

std::string valid_text(const OpSpec& spec) {
  std::string text = "  bool kl_valid() const noexcept {\n    return ";
  for (const Axis& axis : spec.axes) {
    fmt::format_to(std::back_inserter(text), "{} >= std::int64_t{{{}}} && ", axis.name,
                   axis.kind == Axis::Kind::expression ? 0 : 1);
  }
  for (const Expression& constraint : spec.constraints) {
    fmt::format_to(std::back_inserter(text), "({}) != 0 && ", expression_text(constraint));
  }
  return text + "!kl_failed;\n  }\n";
}

std::string checked_member(const std::string& name, const Expression& value) {
  return fmt::format("  kernelloop::detail::Checked {}() const noexcept {{\n    return {};\n  }}\n",
                     name, expression_text(value));
}

std::string dimensions_text(const std::array<Expression, 3>& dimensions,
                            const std::array<std::int64_t, 3>& limits) {
  std::string text = "{";
  for (std::size_t i = 0; i < 3; ++i) {
    fmt::format_to(std::back_inserter(text), "{}kernelloop::detail::dimension({}, {}, failed)",
                   i == 0 ? "" : ", ", expression_text(dimensions[i]), limits[i]);
  }
  return text + "}";
}

std::string size_text(const Launch& launch, std::size_t index) {
  const LaunchLimits limits;
  return fmt::format(
      "  kernelloop::detail::LaunchSize kl_size_{}(bool& failed) const noexcept {{\n"
      "    return {{{},\n            {},\n            {},\n"
      "            kernelloop::detail::byte_count({}, failed)}};\n  }}\n",
      index, dimensions_text(launch.grid, limits.max_grid),
      dimensions_text(launch.block, limits.max_block),
      launch.has_cluster ? dimensions_text(launch.cluster, {16, 16, 16}) : "{1, 1, 1}",
      expression_text(launch.dynamic_shared_bytes));
}

std::string value_text(const Expression& expression) {
  return fmt::format("kernelloop::detail::Checked({}).value()", expression_text(expression));
}

std::string numbers_text(const std::vector<Expression>& expressions) {
  std::string text = "{";
  for (const Expression& one : expressions) {
    fmt::format_to(std::back_inserter(text), "{}{}", text.size() == 1 ? "" : ", ", value_text(one));
  }
  return text + "}";
}

// Expressions that fail set kl_failed, which the caller asks.
std::string map_text(const OpSpec& spec, const TensorMapArgument& map, const std::string& id) {
  const TensorMapModes& modes = map.modes;
  std::string text = fmt::format(
      "  kernelloop::detail::TensorMapNumbers kl_map_{}() const noexcept {{\n"
      "    return {{{}, {}, {},\n            {},\n            {},\n            {},\n"
      "            {},\n            {}, {}, {}, {}}};\n  }}\n",
      id, find_map_type(map.dtype)->code, map.dims.size(), value_text(map.offset_bytes),
      numbers_text(map.dims), numbers_text(map.stride_bytes), numbers_text(map.box),
      numbers_text(map.element_strides), modes.interleave, modes.swizzle, modes.l2_promotion,
      modes.oob_fill);
  const Tensor* tensor = spec.find_tensor(map.tensor);
  if (tensor == nullptr) return text;
  std::string bytes = fmt::format("kernelloop::detail::Checked({})", info(tensor->dtype).size);
  for (const std::string& dimension : tensor->shape) {
    bytes += fmt::format(" * ({})", expression_text(Expression::parse(dimension)));
  }
  return text + fmt::format(
                    "  kernelloop::detail::Checked kl_bytes_{}() const noexcept {{\n"
                    "    return {};\n  }}\n",
                    id, bytes);
}

std::string launch_text(const OpSpec& spec, const Launch& launch, std::size_t index,
                        bool with_sizes) {
  std::string text;
  if (launch.when) {
    text += fmt::format("  bool kl_when_{}() const noexcept {{\n    return ({}) != 0;\n  }}\n",
                        index, expression_text(*launch.when));
  } else {
    text += fmt::format("  bool kl_when_{}() const noexcept {{ return true; }}\n", index);
  }
  if (with_sizes) {
    text += size_text(launch, index);
  }
  for (std::size_t j = 0; j < launch.arguments.size(); ++j) {
    const std::string id = fmt::format("{}_{}", index, j);
    const std::string name = "kl_value_" + id;
    if (const auto* integer = std::get_if<IntegerArgument>(&launch.arguments[j])) {
      text += checked_member(name, integer->value);
    } else if (const auto* scratch = std::get_if<WorkspaceArgument>(&launch.arguments[j])) {
      text += checked_member(name, scratch->offset);
    } else if (const auto* map = std::get_if<TensorMapArgument>(&launch.arguments[j])) {
      if (with_sizes) text += map_text(spec, *map, id);
    }
  }
  return text;
}

}  // namespace

std::string expression_text(const Expression& expression) {
  if (expression.names().empty()) {
    return Expression::constant(expression.evaluate({})).to_cpp();
  }
  return expression.to_cpp();
}

std::string axes_struct(const OpSpec& spec, const LaunchPlan& plan, bool with_sizes) {
  require_cpp_names(spec);
  const std::vector<const Axis*> ordered = ordered_axes(spec);
  std::string text =
      "struct Axes {\n  Axes(const Axes&) = delete;\n  Axes& operator=(const Axes&) = delete;\n";
  text += constructor_text(spec, ordered);
  text += valid_text(spec);
  text += checked_member("kl_workspace", plan.workspace_bytes);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    text += launch_text(spec, plan.launches[i], i, with_sizes);
  }
  text += "  bool kl_failed = false;\n";
  for (const Axis* axis : ordered) {
    fmt::format_to(std::back_inserter(text), "  kernelloop::detail::Checked {};\n", axis->name);
  }
  return text + "};\n";
}

void require_cpp_names(const OpSpec& spec) {
  require_cpp_name("the name", spec.name);
  for (const Axis& axis : spec.axes) {
    require_cpp_name("axis", axis.name);
  }
  for (const Tensor& input : spec.inputs) {
    require_cpp_name("input", input.name);
  }
  for (const Tensor& output : spec.outputs) {
    require_cpp_name("output", output.name);
  }
}

}  // namespace kernelloop
