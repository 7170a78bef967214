// Expressions of a plan that shapes decide: what a kernel is told, and where it can tell shapes
// apart by it.
#include "verify/plan_shapes.hpp"
#include "verify/shape_moves.hpp"
#include "verify/shapes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::size_t k_few = 8;     // a size itself, or the blocks that it needs, takes more
constexpr std::size_t k_shapes = 2;  // for a value

}  // namespace

std::vector<const Expression*> PlanShapes::settings_of(const Launch& launch) {
  std::vector<const Expression*> settings{&launch.dynamic_shared_bytes};
  for (const auto* sizes : {&launch.grid, &launch.block, &launch.cluster}) {
    for (const Expression& size : *sizes) settings.push_back(&size);
  }
  for (const Argument& argument : launch.arguments) {
    for (const Expression* one : expressions_of(argument)) settings.push_back(one);
  }
  return settings;
}

std::vector<Expression> PlanShapes::parts_of_launches() const {
  std::map<std::string, Expression> parts;  // by what they compute
  for (const Launch& launch : plan_.launches) {
    std::vector<const Expression*> whole = settings_of(launch);
    if (launch.when) whole.push_back(&*launch.when);
    for (const Expression* expression : whole) {
      for (Expression& part : expression->parts())
        parts.try_emplace(part.to_cpp(), std::move(part));
    }
  }
  std::vector<Expression> result;
  for (auto& [text, part] : parts) result.push_back(std::move(part));
  return result;
}

std::vector<Bindings> PlanShapes::where_values_differ(const Expression& expression,
                                                      const std::string& axis) const {
  std::map<std::int64_t, std::vector<Bindings>> found;  // by value
  Bindings shape = least_;
  const std::int64_t most = std::min(k_searched_sizes, longest_tried(spec_, axis, device_));
  along(axis, 1, most, shape, expression, [&](std::int64_t size, std::int64_t value) {
    const auto known = found.find(value);
    const bool wanted = known == found.end() || (known->second.size() < k_shapes &&
                                                 size >= 2 * known->second.back().at(axis));
    shape[axis] = size;
    if (wanted && admissible(spec_, shape)) found[value].push_back(shape);
    return found.size() <= k_few;
  });
  std::vector<Bindings> result;
  if (found.size() > k_few) return result;
  for (auto& [value, shapes] : found) {
    result.insert(result.end(), shapes.begin(), shapes.end());
  }
  return result;
}

std::vector<Bindings> PlanShapes::for_every_value(std::vector<Bindings>& left_out) const {
  ShapeList list(spec_, element_budget(device_));
  for (const Expression& expression : parts_of_launches()) {
    for (const std::string& axis : variables_in(expression)) {
      for (Bindings& shape : where_values_differ(expression, axis)) {
        if (!list.add(shape)) left_out.push_back(std::move(shape));
      }
    }
  }
  return std::move(list).by_size();
}

std::vector<Bindings> PlanShapes::beyond(const Launch& launch, const Bindings& shape) const {
  ShapeList list(spec_, element_budget(device_));
  if (!launch.when) return {};
  for (const std::string& axis : variables_in(*launch.when)) {
    const std::int64_t most = std::min(k_searched_sizes, longest_tried(spec_, axis, device_));
    Bindings larger = shape;
    std::size_t taken = 0;
    std::int64_t least = shape.at(axis) + 1;
    along(axis, least, most, shape, *launch.when, [&](std::int64_t size, std::int64_t selected) {
      larger[axis] = size;
      if (selected == 0 || size < least || !list.add(larger)) return true;
      least = 2 * size;
      return ++taken < k_shapes;
    });
  }
  return std::move(list).by_size();
}

std::vector<Bindings> PlanShapes::at_numbers(const std::set<std::int64_t>& numbers) const {
  constexpr std::int64_t k_small = 33;  // other shapes go beyond these by far
  constexpr std::int64_t k_next = 128;  // from there to the next size that a launch takes
  ShapeList list(spec_, element_budget(device_));
  const auto add_beyond = [&](const Bindings& start, const Expression* condition) {
    for (const std::string& axis : axes_) {
      for (auto number = numbers.upper_bound(k_small); number != numbers.end(); ++number) {
        // Where an index may be a block each is dear.
        const std::int64_t from = is_inner(spec_, axis) ? 2 * *number + 1 : *number + 2;
        if (from > longest_at_numbers(axis)) continue;
        Bindings shape = start;
        shape[axis] = from;
        while (condition != nullptr && shape[axis] < from + k_next && !holds(*condition, shape)) {
          ++shape[axis];
        }
        if (condition == nullptr || holds(*condition, shape)) list.add(shape);
      }
    }
  };
  for (const std::string& axis : axes_) {
    for (const std::int64_t number : numbers) {
      Bindings shape = least_;
      shape[axis] = number;
      if (number <= longest_tried(spec_, axis, device_)) list.add(shape);
    }
  }
  // Of one element some operators make the same whatever it is.
  add_beyond(small_, nullptr);
  for (const Launch& launch : plan_.launches) {
    if (!launch.when || holds(*launch.when, small_)) continue;
    if (const LaunchShape first = selecting(launch); first.shape) {
      add_beyond(*first.shape, &*launch.when);
    }
  }
  return std::move(list).by_size();
}

std::int64_t PlanShapes::longest_at_numbers(const std::string& axis) const {
  constexpr std::int64_t k_tall = 4099;  // one index may be a block
  return std::max(k_tall, longest_tried(spec_, axis, device_));
}

}  // namespace kernelloop
