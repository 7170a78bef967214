// values: input families that make mistakes show, at small shapes, at slices of the workloads and a
// shape for every launch of the plan (on the CPU device two of the slices by turns); those in which
// single elements count at long, odd ones too, those that differ by row at many short rows.
#include "support/random.hpp"
#include "verify/linearity.hpp"
#include "verify/repetition.hpp"
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kernelloop {
namespace {

std::string name_of(const FamilyChoice& choice) {
  return choice.input.empty() ? std::string(choice.family->name)
                              : fmt::format("{} in {}", choice.family->name, choice.input);
}

// Columns beside the numbers of the kernels, where its parts of a row may meet: as many as fit.
std::vector<std::int64_t> seams_of(const RungContext& context) {
  constexpr std::int64_t k_least = 8;
  constexpr std::int64_t k_most = 8192;
  const std::int64_t most_elements = std::int64_t{1} << (context.device == "cpu" ? 16 : 21);
  std::set<std::int64_t> places;
  for (const std::int64_t number : context.numbers) {
    if (number < k_least || number > k_most) continue;
    places.insert({number - 1, number});
  }
  std::vector<std::int64_t> chosen(places.begin(), places.end());
  const RandomStream random(context.seeds.next(), "seams");
  const auto elements = [&] {
    return 2 * static_cast<std::int64_t>(chosen.size()) * (chosen.back() + 2);
  };
  for (std::uint64_t draw = 0; !chosen.empty() && elements() > most_elements; ++draw) {
    const std::uint64_t turn = random.bits(draw) % chosen.size();
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(turn));
  }
  return chosen;
}

// Adds so many of `others` to `shapes`, drawn from as many equal parts of them.
void add_spread(const std::vector<Bindings>& others, std::size_t count, std::uint64_t seed,
                std::vector<Bindings>& shapes) {
  const RandomStream random(seed, "spread");
  const double part = static_cast<double>(others.size()) / static_cast<double>(count);
  for (std::size_t i = 0; i < count && !others.empty(); ++i) {
    const double place = part * (static_cast<double>(i) + random.uniform(i));
    const auto chosen = std::min(static_cast<std::size_t>(place), others.size() - 1);
    shapes.push_back(others[chosen]);
  }
}

// What the spec lets be tried, and the reference.
std::vector<FamilyChoice> fair_choices(const RungContext& context, const Bindings& shape) {
  std::vector<FamilyChoice> choices = family_choices(context.spec);
  const auto asks = [](const FamilyChoice& choice) {
    return choice.family->when == InputFamily::When::linear;
  };
  if (std::none_of(choices.begin(), choices.end(), asks)) return choices;
  if (is_made_of_products_of_two(context, shape, context.seeds.next())) return choices;
  choices.erase(std::remove_if(choices.begin(), choices.end(), asks), choices.end());
  return choices;
}

}  // namespace

std::vector<CasePlan> values_cases(const RungContext& context) {
  const OpSpec& spec = context.spec;
  std::vector<Bindings> everywhere = value_shapes(spec, context.device, "values");
  std::vector<Bindings> slices;
  std::vector<Bindings> long_ones;
  const auto own = spec.ladder.shapes.find("values");
  const bool chosen_here = own == spec.ladder.shapes.end() || own->second.empty();
  if (chosen_here) {
    slices = workload_slices(spec, context.device);
    const auto add_long_ones = [&](std::int64_t rows) {
      const std::vector<Bindings> more =
          long_odd_shapes(spec, context.device, rows, context.seeds.next());
      long_ones.insert(long_ones.end(), more.begin(), more.end());
    };
    add_long_ones(context.device == "cpu" ? 6 : 12);
    // Where an emulation has no time for so many, one is longer.
    if (context.device == "cpu") add_long_ones(1);
    long_ones = long_for_every_launch(context, std::move(long_ones));
    // A path for long rows gets the values that a path for short ones gets.
    std::vector<Bindings> known = everywhere;
    known.insert(known.end(), slices.begin(), slices.end());
    const std::size_t before = known.size();
    known = covering_all_launches(context, std::move(known), context.device != "cpu");
    slices.insert(slices.end(), known.begin() + static_cast<std::ptrdiff_t>(before), known.end());
  }
  const std::vector<Bindings> thin_ones = chosen_here ? thin_shapes(spec) : std::vector<Bindings>();
  const std::vector<Bindings> short_ones = many_rows(spec, context.device, "values");
  const std::vector<FamilyChoice> choices = fair_choices(context, everywhere.front());
  const bool emulated = context.device == "cpu";
  std::uint64_t turn = context.seeds.next();
  const std::vector<std::int64_t> seams = seams_of(context);
  const std::vector<Bindings> limits = lengths_beside(spec, context.device, context.numbers);
  std::vector<CasePlan> cases;
  const auto add = [&](const FamilyChoice& choice, const Bindings& shape) {
    CasePlan plan = shape_case(context, shape, 0);
    plan.name = fmt::format("{} at {}", name_of(choice), plan.name);
    plan.family = choice;
    // The shapes are those of other rungs, which look for what depends on the poison.
    plan.runs.resize(1);
    repeat_if_dear(spec, plan);
    cases.push_back(std::move(plan));
  };
  for (const FamilyChoice& choice : choices) {
    std::vector<Bindings> shapes = everywhere;
    if (emulated && !slices.empty()) {
      // By turns, two of them and what launches need: an emulation is slow.
      for (std::size_t i = 0; i < std::min<std::size_t>(2, slices.size()); ++i) {
        shapes.push_back(slices[turn++ % slices.size()]);
      }
      cover_launches_from(context, slices, shapes);
    } else {
      shapes.insert(shapes.end(), slices.begin(), slices.end());
    }
    // A path for single rows, columns or terms, and one for any range of lengths, gets them too.
    shapes.insert(shapes.end(), thin_ones.begin(), thin_ones.end());
    if (chosen_here) {
      const std::vector<Bindings> drawn = drawn_lengths(spec, context.device, context.seeds.next());
      add_spread(drawn, emulated ? 1 : drawn.size(), context.seeds.next(), shapes);
      add_spread(limits, emulated ? 2 : 8, context.seeds.next(), shapes);
    }
    if (choice.family->traits.differs_by_row) {
      shapes.insert(shapes.end(), short_ones.begin(), short_ones.end());
    }
    if (choice.family->traits.single_elements_count) {
      shapes.insert(shapes.end(), long_ones.begin(), long_ones.end());
    }
    for (const Bindings& shape : shapes) add(choice, shape);
    if (chosen_here && choice.family->name == "needle" && !seams.empty()) {
      const auto length = seams.back() + 2;
      const auto shape = rows_of_length(spec, 2 * static_cast<std::int64_t>(seams.size()), length);
      if (shape) add({choice.family, choice.input, seams}, *shape);
    }
  }
  return cases;
}

}  // namespace kernelloop
