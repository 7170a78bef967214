#include "verify/plan_shapes.hpp"

#include "spec/variable_axes.hpp"
#include "support/random.hpp"
#include "verify/shape_moves.hpp"
#include "verify/shapes.hpp"
#include "verify/size_combinations.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::int64_t k_sense_line = std::int64_t{1} << 14;
constexpr std::int64_t k_beyond_grids = std::int64_t{1} << 16;
constexpr std::int64_t k_largest_number = std::int64_t{1} << 31;
constexpr std::int64_t k_around = 1024;  // sizes beside a number, for moduli up to that

std::vector<std::int64_t> beside(const std::set<std::int64_t>& numbers) {
  std::set<std::int64_t> sizes;
  for (const std::int64_t number : numbers) {
    for (const std::int64_t size : {number - 1, number, number + 1}) {
      if (size >= 1) sizes.insert(size);
    }
  }
  return {sizes.begin(), sizes.end()};
}

// Whether every dimension is at least 1 and at most what CUDA allows; missing ones are 1.
bool within(const std::array<Expression, 3>& dimensions, const std::array<std::int64_t, 3>& most,
            const Bindings& axes) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].text().empty()) continue;
    const std::int64_t size = dimensions[i].evaluate(axes);
    if (size < 1 || size > most[i]) return false;
  }
  return true;
}

void add_constants(const OpSpec& spec, Bindings& axes) {
  for (const Axis& axis : spec.axes) {
    if (axis.kind == Axis::Kind::constant) axes[axis.name] = axis.value;
  }
}

}  // namespace

PlanShapes::PlanShapes(const OpSpec& spec, const LaunchPlan& plan, std::string device)
    : spec_(spec),
      plan_(plan),
      device_(std::move(device)),
      axes_(variable_axes(spec)),
      small_(near(spec, start_shape(spec), 2)),
      least_(near(spec, start_shape(spec), 1)) {
  note(plan.workspace_bytes);
  for (const Launch& launch : plan.launches) {
    if (launch.when) note(*launch.when);
    for (const Expression* expression : settings_of(launch)) note(*expression);
  }
}

void PlanShapes::note(const Expression& expression) {
  for (const std::string& axis : variables_in(expression)) {
    for (const std::int64_t number : expression.constants()) {
      if (number >= 0 && number <= k_largest_number) numbers_[axis].insert(number);
    }
  }
}

std::set<std::string> PlanShapes::variables_in(const Expression& expression) const {
  std::set<std::string> variables;
  for (const std::string& name : expression.names()) {
    const Axis* axis = spec_.find_axis(name);
    if (axis == nullptr) continue;
    if (axis->kind == Axis::Kind::variable) variables.insert(name);
    if (axis->kind == Axis::Kind::expression) variables.merge(variables_in(*axis->formula));
  }
  return variables;
}

Bindings PlanShapes::resolved(const Bindings& shape) const {
  Bindings axes = shape;
  add_constants(spec_, axes);
  for (const std::size_t index : spec_.computed_axes) {
    const Axis& axis = spec_.axes[index];
    axes[axis.name] = axis.formula->evaluate(axes);
  }
  return axes;
}

void PlanShapes::along(const std::string& axis, std::int64_t first, std::int64_t last,
                       const Bindings& shape, const Expression& expression,
                       const std::function<bool(std::int64_t, std::int64_t)>& visit) const {
  Bindings axes = shape;
  add_constants(spec_, axes);
  for (const std::size_t index : spec_.computed_axes) axes[spec_.axes[index].name] = 0;
  std::vector<std::pair<std::int64_t*, Expression::Bound>> computed;
  for (const std::size_t index : spec_.computed_axes) {
    const Axis& derived = spec_.axes[index];
    computed.emplace_back(&axes[derived.name], derived.formula->bind(axes));
  }
  const Expression::Bound bound = expression.bind(axes);
  std::int64_t& size = axes[axis];
  for (size = first; size <= last; ++size) {
    std::int64_t value = 0;
    try {
      for (auto& [target, formula] : computed) *target = formula.evaluate();
      value = bound.evaluate();
    } catch (const ExpressionError&) {
      continue;  // a hole of the plan, which without_sense() finds
    }
    if (!visit(size, value)) return;
  }
}

bool PlanShapes::holds(const Expression& condition, const Bindings& shape) const {
  try {
    return condition.evaluate(resolved(shape)) != 0;
  } catch (const ExpressionError&) {
    return false;
  }
}

bool PlanShapes::makes_sense(const Bindings& shape) const {
  try {
    const Bindings axes = resolved(shape);
    bool any = false;
    if (plan_.workspace_bytes.evaluate(axes) < 0) return false;
    for (const Launch& launch : plan_.launches) {
      if (launch.when && launch.when->evaluate(axes) == 0) continue;
      any = true;
      const LaunchLimits limits;
      if (!within(launch.grid, limits.max_grid, axes)) return false;
      if (!within(launch.block, limits.max_block, axes)) return false;
      for (const Argument& argument : launch.arguments) {
        if (std::holds_alternative<WorkspaceArgument>(argument)) continue;
        for (const Expression* one : expressions_of(argument)) (void)one->evaluate(axes);
      }
    }
    return any;
  } catch (const ExpressionError&) {
    return false;
  }
}

std::vector<Bindings> PlanShapes::around_constants(std::size_t most, std::uint64_t seed,
                                                   std::vector<Bindings>& left_out) const {
  constexpr std::int64_t k_long = 4096;  // from here on one index of the other axes must do
  ShapeList list(spec_, element_budget(device_));
  for (const auto& [axis, numbers] : numbers_) {
    for (const std::int64_t size : beside(numbers)) {
      Bindings shape = size < k_long ? small_ : least_;
      shape[axis] = size;
      if (!admissible(spec_, shape)) continue;
      const bool fits = size <= longest_tried(spec_, axis, device_) && list.add(shape);
      if (!fits) left_out.push_back(std::move(shape));
    }
  }
  std::vector<Bindings> shapes = std::move(list).by_size();
  const RandomStream random(seed, "around constants");
  for (std::uint64_t draw = 0; shapes.size() > most; ++draw) {
    const auto chosen =
        shapes.begin() + static_cast<std::ptrdiff_t>(random.bits(draw) % shapes.size());
    left_out.push_back(std::move(*chosen));
    shapes.erase(chosen);
  }
  return shapes;
}

std::vector<Bindings> PlanShapes::without_sense(std::size_t most) const {
  ShapeList found(spec_, element_budget(device_));
  const auto look = [&](const Bindings& shape) {
    if (!makes_sense(shape) && admissible(spec_, shape)) found.add(shape);
  };
  Sizes sizes;
  for (const std::string& axis : axes_) {
    const auto numbers = numbers_.find(axis);
    if (numbers != numbers_.end()) sizes[axis] = beside(numbers->second);
    sizes[axis].push_back(small_.at(axis));
  }
  combine(sizes, small_, look);
  for (const std::string& axis : axes_) {
    Bindings shape = small_;
    for (shape[axis] = 1; shape[axis] <= k_sense_line; ++shape[axis]) look(shape);
    // Grids end at 65,535 along y and z.
    Bindings long_one = least_;
    long_one[axis] = k_beyond_grids;
    look(long_one);
  }
  std::vector<Bindings> shapes = std::move(found).by_size();
  if (shapes.size() > most) shapes.resize(most);
  return shapes;
}

std::vector<std::int64_t> PlanShapes::all_sizes(const std::string& axis) const {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(k_searched_sizes));
  std::iota(sizes.begin(), sizes.end(), 1);
  const auto numbers = numbers_.find(axis);
  if (numbers == numbers_.end()) return sizes;
  for (const std::int64_t number : numbers->second) {
    const std::int64_t first = std::max(sizes.back() + 1, number - k_around);
    for (std::int64_t size = first; size <= number + k_around; ++size) sizes.push_back(size);
  }
  return sizes;
}

std::vector<std::int64_t> PlanShapes::allowed_sizes(const std::string& axis,
                                                    const std::vector<Expression>& parts) const {
  constexpr std::size_t k_kept = 48;
  std::vector<const Expression*> conditions;
  for (const Expression& part : parts) {
    if (variables_in(part) == std::set<std::string>{axis}) conditions.push_back(&part);
  }
  std::vector<std::int64_t> sizes;
  Bindings shape = small_;
  for (const std::int64_t size : all_sizes(axis)) {
    shape[axis] = size;
    if (std::all_of(conditions.begin(), conditions.end(),
                    [&](const Expression* condition) { return holds(*condition, shape); })) {
      sizes.push_back(size);
    }
  }
  return thinned(sizes, k_kept);
}

LaunchShape PlanShapes::selecting(const Launch& launch) const {
  if (!launch.when) return {small_, std::nullopt};
  LaunchShape found;
  std::int64_t fewest = 0;  // elements of the one found
  const std::int64_t budget = element_budget(device_);
  const auto look = [&](const Bindings& shape) {
    if (!holds(*launch.when, shape) || !admissible(spec_, shape)) return;
    const std::int64_t elements = elements_of(spec_, shape);
    if ((found.shape || found.too_large) && elements >= fewest) return;
    fewest = elements;
    found.shape = elements <= budget ? std::optional(shape) : std::nullopt;
    found.too_large = elements <= budget ? std::nullopt : std::optional(shape);
  };
  Sizes sizes;
  for (const std::string& axis : axes_) {
    std::set<std::int64_t> numbers{2};
    for (std::int64_t power = 4; power <= k_searched_sizes; power *= 2) numbers.insert(power);
    if (const auto own = numbers_.find(axis); own != numbers_.end()) {
      numbers.insert(own->second.begin(), own->second.end());
    }
    sizes[axis] = beside(numbers);
  }
  combine(sizes, small_, look);
  if (found.shape) return found;

  std::vector<Expression> parts = launch.when->conjuncts();
  parts.insert(parts.end(), spec_.constraints.begin(), spec_.constraints.end());
  for (const std::string& axis : axes_) {
    std::vector<std::int64_t> allowed = allowed_sizes(axis, parts);
    if (allowed.empty()) return found;  // whatever the other axes are
    sizes[axis] = std::move(allowed);
  }
  combine(sizes, small_, look);
  if (found.shape || found.too_large) return found;

  constexpr std::size_t k_others = 4;
  for (const std::string& axis : axes_) {
    Sizes others;
    for (const auto& [other, list] : sizes) {
      others[other] = other == axis ? std::vector<std::int64_t>{1} : thinned(list, k_others);
    }
    const std::vector<std::int64_t> all = all_sizes(axis);
    combine(others, small_, [&](Bindings shape) {
      for (const std::int64_t size : all) {
        shape[axis] = size;
        look(shape);
      }
    });
  }
  return found;
}

}  // namespace kernelloop
