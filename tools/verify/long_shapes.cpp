// Sizes between and beyond those that are always tried.
#include "spec/variable_axes.hpp"
#include "support/random.hpp"
#include "verify/shape_moves.hpp"
#include "verify/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace kernelloop {
namespace {

// The largest extent of an axis in any workload or visible shape of the spec.
std::int64_t longest_named(const OpSpec& spec, const std::string& axis) {
  std::int64_t size = 1;
  for (const Workload& workload : spec.workloads) size = std::max(size, workload.axes.at(axis));
  for (const auto& [rung, shapes] : spec.ladder.shapes) {
    for (const Bindings& shape : shapes) size = std::max(size, shape.at(axis));
  }
  return size;
}

// A size near `size` that 1, 2, 4, ... or 128 divides, as `turn` has it, and no greater power of
// two: tiles and vectors end in the midst of each other by any of these. At most a sixteenth off.
std::int64_t odd_multiple(std::int64_t size, std::uint64_t turn) {
  std::int64_t power = std::int64_t{1} << (turn % 8);
  while (power * 16 > size) power /= 2;
  return (size / power | 1) * power;
}

}  // namespace

std::int64_t longest_tried(const OpSpec& spec, const std::string& axis, const std::string& device) {
  constexpr std::int64_t k_blocks = 1024;
  return device == "cpu" && !is_inner(spec, axis) ? k_blocks : std::int64_t{1} << 31;
}

std::vector<Bindings> gap_shapes(const OpSpec& spec, const std::string& device,
                                 const std::vector<Bindings>& tested, std::uint64_t seed) {
  constexpr std::int64_t k_from = 64;
  constexpr std::int64_t k_long = 1024;  // from here on one index of the other axes must do
  constexpr double k_factor = 1.4;       // between the middles of neighbouring parts
  constexpr double k_jitter = 0.7;       // how much of its part a size is drawn from
  const Bindings start = start_shape(spec);
  const Bindings small = near(spec, start, 2);
  const Bindings least = near(spec, start, 1);
  const RandomStream random(seed, "gaps");
  std::uint64_t draw = 0;
  std::uint64_t turn = random.bits(~std::uint64_t{0});
  ShapeList list(spec, element_budget(device));
  for (const std::string& axis : variable_axes(spec)) {
    std::set<std::int64_t> sizes{k_from};
    for (const Bindings& shape : tested) {
      if (shape.at(axis) > k_from) sizes.insert(shape.at(axis));
    }
    for (auto from = sizes.begin(); std::next(from) != sizes.end(); ++from) {
      if (*from >= longest_tried(spec, axis, device)) break;
      const auto low = static_cast<double>(*from);
      const double gap = std::log(static_cast<double>(*std::next(from)) / low);
      const auto parts = static_cast<int>(std::ceil(gap / std::log(k_factor)));
      for (int part = 1; part < parts; ++part) {
        const double place = part + k_jitter * (random.uniform(draw++) - 0.5);
        const auto size = odd_multiple(std::lround(low * std::exp(gap * place / parts)), turn++);
        Bindings shape = size < k_long ? small : least;
        if (move_axis(spec, shape, axis, size)) list.add(shape);
      }
    }
  }
  return std::move(list).by_size();
}

std::vector<Bindings> long_odd_shapes(const OpSpec& spec, const std::string& device,
                                      std::int64_t others, std::uint64_t seed) {
  const std::int64_t most_elements = device == "cpu" ? 140000 : std::int64_t{1} << 24;
  const Bindings base = near(spec, start_shape(spec), others);
  const RandomStream random(seed, "long and odd");
  std::uint64_t draw = 0;
  ShapeList list(spec, most_elements);
  for (const std::string& axis : variable_axes(spec)) {
    const double length = 1.0 - random.uniform(draw++) / 3.0;
    if (!is_inner(spec, axis)) continue;
    for (std::int64_t longest = longest_named(spec, axis); longest > 64; longest -= longest / 8) {
      Bindings shape = base;
      const auto size = static_cast<std::int64_t>(static_cast<double>(longest) * length);
      if (move_axis(spec, shape, axis, size | 1) && list.add(shape)) break;
    }
  }
  return std::move(list).by_size();
}

}  // namespace kernelloop
