#include "verify/shape_moves.hpp"

#include "spec/variable_axes.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <optional>

namespace kernelloop {
namespace {

bool uses(const std::string& dimension, const std::string& axis) {
  return Expression::parse(dimension).names().count(axis) != 0;
}

// Some admissible shape to start from.
std::optional<Bindings> any_shape(const OpSpec& spec) {
  for (const auto& [rung, shapes] : spec.ladder.shapes) {
    if (!shapes.empty()) return shapes.front();
  }
  if (!spec.workloads.empty()) return spec.workloads.front().axes;
  for (const std::int64_t size : {64, 128, 256, 1024, 1}) {
    Bindings uniform;
    for (const std::string& axis : variable_axes(spec)) uniform[axis] = size;
    if (admissible(spec, uniform)) return uniform;
  }
  return std::nullopt;
}

}  // namespace

bool is_inner(const OpSpec& spec, const std::string& axis) {
  bool in_matrix = false;
  for (const auto* tensors : {&spec.inputs, &spec.outputs}) {
    for (const Tensor& tensor : *tensors) {
      if (tensor.shape.size() < 2) continue;
      if (uses(tensor.shape.back(), axis)) return true;
      in_matrix = in_matrix ||
                  std::any_of(tensor.shape.begin(), tensor.shape.end(),
                              [&](const std::string& dimension) { return uses(dimension, axis); });
    }
  }
  return !in_matrix;
}

std::int64_t elements_of(const OpSpec& spec, const Bindings& variables) {
  const Bindings axes = resolve_axes(spec, variables);
  double elements = 0;
  for (const auto* tensors : {&spec.inputs, &spec.outputs}) {
    for (const Tensor& tensor : *tensors) {
      double count = 1;
      for (const std::int64_t axis : shape_of(tensor, axes)) count *= static_cast<double>(axis);
      elements += count;
    }
  }
  return static_cast<std::int64_t>(std::min(elements, 0x1p62));
}

bool move_axis(const OpSpec& spec, Bindings& shape, const std::string& axis, std::int64_t target) {
  constexpr std::int64_t k_reach = 1024;
  for (std::int64_t distance = 0; distance <= k_reach; ++distance) {
    for (const std::int64_t value : {target + distance, target - distance}) {
      if (value < 1) continue;
      Bindings moved = shape;
      moved[axis] = value;
      if (!admissible(spec, moved)) continue;
      shape = std::move(moved);
      return true;
    }
  }
  return false;
}

Bindings near(const OpSpec& spec, const Bindings& start, std::int64_t target) {
  Bindings uniform;
  for (const std::string& axis : variable_axes(spec)) uniform[axis] = target;
  if (admissible(spec, uniform)) return uniform;
  Bindings shape = start;
  for (const std::string& axis : variable_axes(spec)) move_axis(spec, shape, axis, target);
  return shape;
}

Bindings start_shape(const OpSpec& spec) {
  const auto shape = any_shape(spec);
  if (!shape) {
    fail(ExitCode::bad_input,
         "op '{}': found no shape that its constraints allow; name one in ladder.smoke", spec.name);
  }
  return *shape;
}

bool ShapeList::add(const Bindings& shape) {
  if (!admissible(spec_, shape)) return false;
  const std::int64_t elements = elements_of(spec_, shape);
  if (elements > most_elements_) return false;
  if (seen_.insert(shape).second) shapes_.push_back({elements, shape});
  return true;
}

void ShapeList::add_anyway(const Bindings& shape) {
  shapes_.push_back({elements_of(spec_, shape), shape});
}

std::vector<Bindings> ShapeList::by_size() && {
  std::ranges::stable_sort(shapes_, {}, &Sized::elements);
  std::vector<Bindings> result;
  result.reserve(shapes_.size());
  for (Sized& one : shapes_) result.push_back(std::move(one.shape));
  return result;
}

}  // namespace kernelloop
