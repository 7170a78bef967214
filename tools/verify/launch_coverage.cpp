#include "verify/plan_shapes.hpp"
#include "verify/reference_library.hpp"
#include "verify/rung.hpp"
#include "verify/shape_moves.hpp"
#include "verify/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace kernelloop {
namespace {

bool selects(const OpSpec& spec, const Launch& launch, const Bindings& shape) {
  if (!launch.when) return true;
  try {
    return launch.when->evaluate(resolve_axes(spec, shape)) != 0;
  } catch (const ExpressionError&) {
    return false;  // the plan's fault, which shows when it is resolved
  }
}

// What any plan may be tried with, of either kind from small to large.
std::vector<Bindings> listed_shapes(const OpSpec& spec, const std::string& device) {
  constexpr std::uint64_t k_seed = 1;  // the random ones among them need not be new
  std::vector<Bindings> shapes = edge_shapes(spec, device, k_seed);
  const std::vector<Bindings> round = round_shapes(spec, device);
  shapes.insert(shapes.end(), round.begin(), round.end());
  return shapes;
}

// Calls action(launch, selected) for each launch of the plan that none of `shapes` selects when its
// turn comes; selected(shape) says whether one does. The action may add to them.
template <typename Action>
void for_each_unselected(const RungContext& context, const std::vector<Bindings>& shapes,
                         const Action& action) {
  if (context.plan == nullptr) return;
  for (const Launch& launch : context.plan->launches) {
    const auto selected = [&](const Bindings& shape) {
      return selects(context.spec, launch, shape);
    };
    if (std::none_of(shapes.begin(), shapes.end(), selected)) action(launch, selected);
  }
}

// Of `start`, which is long along one axis, the nearest that is shorter and selected, with the
// other axes as they are or as vectors take them.
template <typename Selected>
std::optional<Bindings> nearest_shorter(const RungContext& context, const Bindings& start,
                                        const Selected& selected) {
  constexpr std::array<std::int64_t, 3> k_others{0, 8, 16};  // as they are, and for vectors
  constexpr std::int64_t k_near = 256;
  const std::int64_t most_elements = context.device == "cpu" ? 140000 : std::int64_t{1} << 24;
  const auto& [axis, length] =
      *std::ranges::max_element(start, {}, [](const auto& entry) { return entry.second; });
  for (const std::int64_t others : k_others) {
    Bindings shape = others == 0 ? start : near(context.spec, start, others);
    std::int64_t size = length;
    for (; size > 2 * k_near; size -= size / 16) {
      if (!move_axis(context.spec, shape, axis, size)) break;
      if (elements_of(context.spec, shape) <= most_elements) break;
    }
    for (const std::int64_t end = size - k_near; size > std::max<std::int64_t>(end, 1); --size) {
      shape[axis] = size;
      if (admissible(context.spec, shape) && selected(shape)) return shape;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Bindings> covering_all_launches(const RungContext& context,
                                            std::vector<Bindings> shapes, bool search) {
  std::vector<Bindings> listed;
  for_each_unselected(context, shapes, [&](const Launch& launch, const auto& selected) {
    if (listed.empty()) listed = listed_shapes(context.spec, context.device);
    const auto found = std::find_if(listed.begin(), listed.end(), selected);
    if (found != listed.end()) {
      shapes.push_back(*found);
    } else if (search) {
      const PlanShapes plan(context.spec, *context.plan, context.device);
      if (const auto deep = plan.selecting(launch); deep.shape) shapes.push_back(*deep.shape);
    }
  });
  return shapes;
}

void cover_launches_from(const RungContext& context, const std::vector<Bindings>& others,
                         std::vector<Bindings>& shapes) {
  for_each_unselected(context, shapes, [&](const Launch&, const auto& selected) {
    const auto found = std::find_if(others.begin(), others.end(), selected);
    if (found != others.end()) shapes.push_back(*found);
  });
}

std::vector<Bindings> long_for_every_launch(const RungContext& context,
                                            std::vector<Bindings> shapes) {
  const std::vector<Bindings> odd = shapes;
  for_each_unselected(context, shapes, [&](const Launch&, const auto& selected) {
    for (const Bindings& start : odd) {
      if (std::optional<Bindings> found = nearest_shorter(context, start, selected)) {
        shapes.push_back(std::move(*found));
      }
    }
  });
  return shapes;
}

std::vector<Bindings> more_for_rare_launches(const RungContext& context,
                                             const std::vector<Bindings>& shapes) {
  constexpr std::ptrdiff_t k_rare = 3;
  std::vector<Bindings> more;
  if (context.plan == nullptr) return more;
  const PlanShapes plan(context.spec, *context.plan, context.device);
  for (const Launch& launch : context.plan->launches) {
    const auto selected = [&](const Bindings& shape) {
      return selects(context.spec, launch, shape);
    };
    const auto first = std::find_if(shapes.begin(), shapes.end(), selected);
    if (first == shapes.end() || std::count_if(first, shapes.end(), selected) >= k_rare) continue;
    for (Bindings& shape : plan.beyond(launch, *first)) more.push_back(std::move(shape));
  }
  return more;
}

std::vector<Bindings> shapes_of_more_rounds(const RungContext& context) {
  if (context.plan == nullptr) return {};
  const std::int64_t most_elements = std::int64_t{1} << (context.device == "cpu" ? 17 : 23);
  return PlanShapes(context.spec, *context.plan, context.device)
      .where_blocks_go_round(most_elements);
}

LaunchFindings unreached_launches(const OpSpec& spec, const LaunchPlan& plan,
                                  const std::string& device) {
  LaunchFindings findings;
  const std::vector<Bindings> listed = listed_shapes(spec, device);
  for (const Launch& launch : plan.launches) {
    if (std::any_of(listed.begin(), listed.end(),
                    [&](const Bindings& shape) { return selects(spec, launch, shape); })) {
      continue;
    }
    const LaunchShape found = PlanShapes(spec, plan, device).selecting(launch);
    if (found.shape) continue;
    const std::string which =
        fmt::format("the launch of `{}`{} when `{}`", launch.kernel,
                    launch.line > 0 ? fmt::format(" (line {})", launch.line) : std::string(),
                    launch.when->text());
    if (found.too_large) {
      findings.notes.push_back(fmt::format(
          "{} was tested at no shape: the smallest found that selects it ({}) is too large here",
          which, shape_text(spec, *found.too_large)));
    } else {
      findings.violations.push_back(fmt::format(
          "{} is selected by no shape that the spec allows, tried at every size of each axis up to "
          "{} and around every number in the plan, so that nothing could test it; remove the "
          "launch, or write its condition so that a shape can be found",
          which, k_searched_sizes));
    }
  }
  return findings;
}

}  // namespace kernelloop
