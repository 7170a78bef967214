// Shapes at which the blocks of a launch take more than one turn each.
#include "verify/plan_shapes.hpp"
#include "verify/shape_moves.hpp"
#include "verify/shapes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace kernelloop {

std::optional<std::int64_t> PlanShapes::where_growth_ends(const Expression& expression,
                                                          const std::string& axis,
                                                          const Bindings& shape) const {
  constexpr std::int64_t k_longest = std::int64_t{1} << 13;
  constexpr std::int64_t k_longest_alone = std::int64_t{1} << 17;  // grids end at 65,535 along y
  const bool alone = variables_in(expression) == std::set<std::string>{axis};
  const std::int64_t most =
      std::min(alone ? k_longest_alone : k_longest, longest_tried(spec_, axis, device_));
  // Most grids grow all the way, which three sizes show.
  std::set<std::int64_t> last;
  for (const std::int64_t size : {most, 2 * most, 4 * most}) {
    along(axis, size, size, shape, expression, [&](std::int64_t, std::int64_t value) {
      last.insert(value);
      return true;
    });
  }
  if (last.size() != 1) return std::nullopt;
  std::vector<std::int64_t> values(static_cast<std::size_t>(4 * most) + 1, 0);
  along(axis, 1, 4 * most, shape, expression, [&](std::int64_t size, std::int64_t value) {
    values[static_cast<std::size_t>(size)] = value;
    return true;
  });
  for (std::size_t size = 1; size <= static_cast<std::size_t>(most); ++size) {
    const std::int64_t value = values[size];
    if (value > values[1] && value == values[2 * size] && value == values[4 * size]) {
      return static_cast<std::int64_t>(size);
    }
  }
  return std::nullopt;
}

std::vector<Bindings> PlanShapes::where_blocks_go_round(std::int64_t most_elements) const {
  // Beyond a block's warps, else one warp, else what vectors of 16 or 8 elements take.
  constexpr std::array<std::int64_t, 4> k_others{130, 33, 16, 8};
  ShapeList list(spec_, std::min(most_elements, element_budget(device_)));
  for (const Launch& launch : plan_.launches) {
    for (const Expression& grid : launch.grid) {
      if (grid.text().empty()) continue;
      for (const std::string& axis : variables_in(grid)) {
        for (const std::int64_t others : k_others) {
          Bindings shape = near(spec_, least_, others);
          const auto end = where_growth_ends(grid, axis, shape);
          if (!end || !move_axis(spec_, shape, axis, 2 * *end + 1)) continue;
          if (launch.when && !holds(*launch.when, shape)) continue;
          if (list.add(shape)) break;
        }
      }
    }
  }
  return std::move(list).by_size();
}

}  // namespace kernelloop
