// shapes: ones, primes, around warps and tiles, odd, huge; one for every launch of the plan, around
// the numbers that stand in it, and in the gaps between all these.
#include "verify/plan_shapes.hpp"
#include "verify/reference_library.hpp"
#include "verify/rung.hpp"
#include "verify/shape_work.hpp"
#include "verify/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

// The cases of the rung, each shape once.
class ShapeCases {
 public:
  explicit ShapeCases(const RungContext& context) : context_(context) {}

  // With poisons and schedules. The work of all their runs.
  double add_in_full(const std::vector<Bindings>& shapes) {
    constexpr int k_schedules = 1;
    double work = 0.0;
    for (const Bindings& shape : shapes) {
      if (!is_new(shape)) continue;
      cases_.push_back(shape_case(context_, shape, k_schedules));
      work += work_of(context_.spec, context_.plan, shape) *
              static_cast<double>(cases_.back().runs.size());
    }
    return work;
  }

  // What a size does to indices and tails shows in one run.
  void add(const std::vector<Bindings>& shapes, WorkBudget& budget) {
    for (const Bindings& shape : shapes) {
      if (!is_new(shape)) continue;
      cases_.push_back(shape_case(context_, shape, 0));
      cases_.back().runs.resize(1);
      budget.spend(shape);
    }
  }

  // The same with those only that fit into the budget; the others are noted.
  void add_affordable(const char* what, std::vector<Bindings> shapes,
                      std::vector<Bindings> left_out, WorkBudget& budget) {
    for (const Bindings& shape : budget.affordable(std::move(shapes), left_out)) {
      if (!is_new(shape)) continue;
      cases_.push_back(shape_case(context_, shape, 0));
      cases_.back().runs.resize(1);
    }
    note(what, left_out);
  }

  [[nodiscard]] const std::vector<Bindings>& shapes() const noexcept { return shapes_; }
  [[nodiscard]] std::vector<CasePlan> cases() && { return std::move(cases_); }

 private:
  bool is_new(const Bindings& shape) {
    if (std::find(shapes_.begin(), shapes_.end(), shape) != shapes_.end()) return false;
    shapes_.push_back(shape);
    return true;
  }

  void note(const char* what, const std::vector<Bindings>& left_out) const {
    constexpr std::size_t k_named = 6;
    if (context_.notes == nullptr || left_out.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < std::min(k_named, left_out.size()); ++i) {
      names += (i == 0 ? "" : "; ") + shape_text(context_.spec, left_out[i]);
    }
    if (left_out.size() > k_named) names += fmt::format("; {} more", left_out.size() - k_named);
    context_.notes->push_back(fmt::format("{} sizes {} left out, as too many or too dear here: {}",
                                          left_out.size(), what, names));
  }

  const RungContext& context_;
  std::vector<Bindings> shapes_;
  std::vector<CasePlan> cases_;
};

}  // namespace

std::vector<CasePlan> shapes_cases(const RungContext& context) {
  constexpr std::size_t k_around = 24;
  constexpr std::size_t k_senseless = 2;
  constexpr double k_share = 0.5;  // of the work that the rung has without the search
  constexpr double k_share_of_kernels = 0.25;
  const OpSpec& spec = context.spec;
  ShapeCases cases(context);
  const double work = cases.add_in_full(covering_all_launches(
      context, edge_shapes(spec, context.device, context.seeds.next()), false));
  WorkBudget budget(spec, context.plan, k_share * work);
  cases.add(covering_all_launches(context, cases.shapes(), true), budget);
  WorkBudget of_these(spec, context.plan, 0.0);  // they take nothing from what is searched for
  cases.add(tall_shapes(spec, context.device), of_these);
  cases.add(broad_shapes(spec, context.device, context.seeds.next()), of_these);
  if (context.plan != nullptr) {
    const PlanShapes searched(spec, *context.plan, context.device);
    cases.add(searched.without_sense(k_senseless), budget);
    cases.add_affordable("for launches that few sizes select",
                         more_for_rare_launches(context, cases.shapes()), {}, budget);
    std::vector<Bindings> untold;
    std::vector<Bindings> values = searched.for_every_value(untold);
    cases.add_affordable("for values of the plan's expressions", std::move(values),
                         std::move(untold), budget);
    std::vector<Bindings> left_out;
    std::vector<Bindings> around =
        searched.around_constants(k_around, context.seeds.next(), left_out);
    cases.add_affordable("around numbers of the plan", std::move(around), std::move(left_out),
                         budget);
    // These have a budget of their own: they come from the candidate too, who could use up any.
    WorkBudget own(spec, context.plan, k_share_of_kernels * work);
    cases.add_affordable("at numbers of the kernels", searched.at_numbers(context.numbers), {},
                         own);
  }
  cases.add_affordable("between those tested",
                       gap_shapes(spec, context.device, cases.shapes(), context.seeds.next()), {},
                       budget);
  return std::move(cases).cases();
}

}  // namespace kernelloop
