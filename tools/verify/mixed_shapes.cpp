// Shapes that are long along two axes at once, thin along one, or of lengths drawn anew or beside
// numbers.
#include "spec/variable_axes.hpp"
#include "support/random.hpp"
#include "verify/shape_moves.hpp"
#include "verify/shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace kernelloop {
namespace {

std::vector<std::string> inner_axes(const OpSpec& spec) {
  std::vector<std::string> axes = variable_axes(spec);
  std::erase_if(axes, [&](const std::string& axis) { return !is_inner(spec, axis); });
  return axes;
}

}  // namespace

std::vector<Bindings> broad_shapes(const OpSpec& spec, const std::string& device,
                                   std::uint64_t seed) {
  constexpr double k_parts = 3.0;     // of the range of aspect ratios, a shape for each
  constexpr double k_octaves = 10.0;  // from one end of it to the other
  const double area = device == "cpu" ? 1e5 : 2e6;
  const std::vector<std::string> axes = variable_axes(spec);
  const std::size_t pairs = axes.size() * (axes.size() - 1) / 2;
  const Bindings least = near(spec, start_shape(spec), 1);
  const RandomStream random(seed, "broad");
  std::uint64_t draw = 0;
  ShapeList list(spec, element_budget(device));
  // With many pairs one shape of each must do.
  const std::uint64_t each = pairs <= 3 ? 3 : 1;
  for (std::size_t first = 0; first < axes.size(); ++first) {
    for (std::size_t second = first + 1; second < axes.size(); ++second) {
      for (std::uint64_t turn = 0; turn < each; ++turn) {
        const double part =
            each == 1 ? std::floor(k_parts * random.uniform(draw++)) : static_cast<double>(turn);
        const double place = (part + random.uniform(draw++)) / k_parts - 0.5;
        const double aspect = std::exp2(k_octaves * place);
        Bindings shape = least;
        const bool moved =
            move_axis(spec, shape, axes[first], std::lround(std::sqrt(area * aspect)) | 1) &&
            move_axis(spec, shape, axes[second], std::lround(std::sqrt(area / aspect)) | 1);
        if (moved) list.add(shape);
      }
    }
  }
  return std::move(list).by_size();
}

std::vector<Bindings> thin_shapes(const OpSpec& spec) {
  constexpr std::int64_t k_most_elements = std::int64_t{1} << 13;
  const Bindings start = start_shape(spec);
  ShapeList list(spec, k_most_elements);
  for (const std::string& axis : variable_axes(spec)) {
    for (const std::int64_t others : {33, 17, 9}) {
      Bindings shape = near(spec, start, others);
      if (move_axis(spec, shape, axis, 1) && list.add(shape)) break;
    }
  }
  return std::move(list).by_size();
}

std::vector<Bindings> drawn_lengths(const OpSpec& spec, const std::string& device,
                                    std::uint64_t seed) {
  constexpr std::array k_from{2.0, 60.0};  // the last ends at thirty times that, too
  constexpr double k_span = 30.0;
  const std::int64_t most_elements = std::int64_t{1} << (device == "cpu" ? 14 : 20);
  const Bindings few = near(spec, start_shape(spec), 4);
  const RandomStream random(seed, "lengths");
  std::uint64_t draw = 0;
  ShapeList list(spec, most_elements);
  for (const double from : k_from) {
    Bindings shape = few;
    for (const std::string& axis : inner_axes(spec)) {
      const double size = from * std::pow(k_span, random.uniform(draw++));
      for (double fits = size; fits >= 2.0; fits /= 2.0) {
        Bindings moved = shape;
        if (!move_axis(spec, moved, axis, std::lround(fits))) break;
        if (elements_of(spec, moved) > most_elements) continue;
        shape = std::move(moved);
        break;
      }
    }
    list.add(shape);
  }
  return std::move(list).by_size();
}

std::vector<Bindings> lengths_beside(const OpSpec& spec, const std::string& device,
                                     const std::set<std::int64_t>& numbers) {
  const std::int64_t most_elements = std::int64_t{1} << (device == "cpu" ? 14 : 20);
  const Bindings start = start_shape(spec);
  const std::array starts{near(spec, start, 4), near(spec, start, 2), near(spec, start, 1)};
  ShapeList list(spec, most_elements);
  for (const std::string& axis : inner_axes(spec)) {
    for (const std::int64_t number : numbers) {
      if (number > most_elements) continue;
      for (const std::int64_t length : {number - 1, number + 1}) {
        for (Bindings shape : starts) {
          if (!move_axis(spec, shape, axis, length) || shape.at(axis) != length) continue;
          if (list.add(shape)) break;
        }
      }
    }
  }
  return std::move(list).by_size();
}

}  // namespace kernelloop
