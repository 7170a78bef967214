// Shapes that a launch plan itself makes interesting: around the numbers that stand in its
// expressions, where it says nothing sensible, and where a launch is selected.
#pragma once

#include "plan/launch_plan.hpp"
#include "spec/op_spec.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kernelloop {

// The search for a launch's shape tries every size of an axis up to here.
inline constexpr std::int64_t k_searched_sizes = (std::int64_t{1} << 17) + 1024;

// Where a launch is selected.
struct LaunchShape {
  std::optional<Bindings> shape;      // small enough for the device
  std::optional<Bindings> too_large;  // where there is no such: the smallest found that is not
};

class PlanShapes {
 public:
  // Both must outlive it. `device` is "cpu" or "cuda": what it takes bounds the shapes.
  PlanShapes(const OpSpec& spec, const LaunchPlan& plan, std::string device);

  // c - 1, c and c + 1 for every number c that stands in an expression of the plan (`when`, grid,
  // block, cluster, shared memory, arguments, workspace), along each axis that the expression
  // names, the other axes small. `most` of them at most, chosen by `seed`; from small to large. The
  // others, and those that the device cannot take, are added to `left_out`.
  [[nodiscard]] std::vector<Bindings> around_constants(std::size_t most, std::uint64_t seed,
                                                       std::vector<Bindings>& left_out) const;

  // For every expression of the launches, and every part of one, that takes few values along an
  // axis, as `cols * 2 == 10006` does: for each value the smallest size up to 2^17 at which it has
  // it and one that is twice that or more, the other axes at their least. A kernel may do another
  // thing for each. From small to large; those that the device cannot take are added to `left_out`.
  [[nodiscard]] std::vector<Bindings> for_every_value(std::vector<Bindings>& left_out) const;

  // Shapes at which the plan selects no launch, has an expression without a value, or a grid or
  // block below 1 or above what CUDA allows; at most `most`, from small to large. Looks at the
  // sizes around every number of the plan, combined over the axes, at every size of each axis up to
  // 16384, the others small, and at 65536, the others at their least.
  [[nodiscard]] std::vector<Bindings> without_sense(std::size_t most) const;

  // The smallest shape found at which the launch is selected. Looks at the sizes around every
  // number of the plan and at powers of two, combined over the axes; then takes the parts of `when`
  // and of the constraints that name one axis, tries every size of that axis up to 2^17 and around
  // every number, and combines what is left; then tries every such size of each axis beside those
  // of the others.
  [[nodiscard]] LaunchShape selecting(const Launch& launch) const;

  // The same launch at other sizes than those of `shape`: along each axis of its `when` the next
  // one up to 2^17 that selects it, and the next beyond twice that. What is right at one size only
  // may take that size for granted.
  [[nodiscard]] std::vector<Bindings> beyond(const Launch& launch, const Bindings& shape) const;

  // For every launch whose grid stops growing along an axis, as `min(rows, 132)` does, a shape with
  // a little more than twice the indices that it grows for: its blocks go round again, where what
  // one round leaves behind meets the next. The other axes near 130, or 33, 16, 8 where there would
  // be more than `most_elements` or the launch is not selected. Without duplicates, from small to
  // large.
  [[nodiscard]] std::vector<Bindings> where_blocks_go_round(std::int64_t most_elements) const;

  // Each axis at each of `numbers`, the others at their least: sizes that a kernel may tell from
  // others. And each at twice the number and one, or where that is too long at two more than it,
  // the others at 2, so that the last index is beyond it: places where an index may begin anew, or
  // the rest be left out. For every launch that this does not select, the same or the next size
  // that it takes beside the sizes of the other axes that do. From small to large; those that the
  // device cannot take are left out.
  [[nodiscard]] std::vector<Bindings> at_numbers(const std::set<std::int64_t>& numbers) const;

 private:
  [[nodiscard]] std::int64_t longest_at_numbers(const std::string& axis) const;
  [[nodiscard]] std::vector<Expression> parts_of_launches() const;
  [[nodiscard]] std::vector<Bindings> where_values_differ(const Expression& expression,
                                                          const std::string& axis) const;
  // The smallest size of `axis` from which on `expression`, having grown, is the same at twice and
  // four times that. Nothing where there is none up to 2^13, or 2^17 where the expression names no
  // other axis, or that the device tries.
  [[nodiscard]] std::optional<std::int64_t> where_growth_ends(const Expression& expression,
                                                              const std::string& axis,
                                                              const Bindings& shape) const;
  // All axes, also where the constraints do not hold. Throws ExpressionError.
  [[nodiscard]] Bindings resolved(const Bindings& shape) const;
  // Calls `visit` with every size of `axis` from `first` to `last` and what `expression` is there,
  // the other axes as in `shape`; passes over sizes where it, or an axis that is computed, has no
  // value. Ends when `visit` gives false.
  void along(const std::string& axis, std::int64_t first, std::int64_t last, const Bindings& shape,
             const Expression& expression,
             const std::function<bool(std::int64_t size, std::int64_t value)>& visit) const;
  [[nodiscard]] bool holds(const Expression& condition, const Bindings& shape) const;
  [[nodiscard]] bool makes_sense(const Bindings& shape) const;
  void note(const Expression& expression);
  // Those of a launch that shapes decide, but for `when`.
  [[nodiscard]] static std::vector<const Expression*> settings_of(const Launch& launch);
  [[nodiscard]] std::set<std::string> variables_in(const Expression& expression) const;
  // The sizes of an axis that the search runs through, and those of them that every condition
  // allows which names no other axis.
  [[nodiscard]] std::vector<std::int64_t> all_sizes(const std::string& axis) const;
  [[nodiscard]] std::vector<std::int64_t> allowed_sizes(const std::string& axis,
                                                        const std::vector<Expression>& parts) const;

  const OpSpec& spec_;
  const LaunchPlan& plan_;
  std::string device_;
  std::vector<std::string> axes_;                          // variable ones
  Bindings small_;                                         // every axis near 2
  Bindings least_;                                         // near 1
  std::map<std::string, std::set<std::int64_t>> numbers_;  // of the plan, by axis
};

// A version whose plan is known: what is wrong with launches that no shape selects.
struct LaunchFindings {
  std::vector<std::string> violations;  // selected by nothing that the search finds
  std::vector<std::string> notes;       // selected only where the device cannot follow
};
LaunchFindings unreached_launches(const OpSpec& spec, const LaunchPlan& plan,
                                  const std::string& device);

}  // namespace kernelloop
