#include "verify/shapes.hpp"

#include "spec/variable_axes.hpp"
#include "support/random.hpp"
#include "verify/shape_moves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernelloop {
namespace {

// What a device can take: elements of all tensors of one shape, and sizes worth trying along an
// axis that is contiguous in some tensor (inner) or not (outer: usually one block or more each).
struct Bounds {
  std::int64_t elements;
  std::vector<std::int64_t> inner;
  std::vector<std::int64_t> outer;
};

const Bounds& bounds_of(const std::string& device) {
  static const Bounds k_cpu{
      std::int64_t{1} << 18,
      {1, 2, 7, 31, 32, 33, 63, 65, 127, 128, 129, 255, 257, 1000, 1023, 1025, 4099, 33001},
      {1, 2, 33, 67}};
  static const Bounds k_cuda{std::int64_t{1} << 27,
                             {1,    2,    7,    31,   32,    33,    63,    65,    127,   128,  129,
                              255,  256,  257,  511,  513,   1000,  1023,  1025,  2047,  2049, 4095,
                              4099, 8191, 8193, 9973, 16383, 16385, 32769, 65537, 131101},
                             {1, 2, 33, 67, 1023, 1025, 70001}};
  return device == "cpu" ? k_cpu : k_cuda;
}

// The largest extent that is tried along an axis: of the list or of a workload.
std::int64_t longest(const OpSpec& spec, const std::string& axis, const std::string& device) {
  const Bounds& bounds = bounds_of(device);
  std::int64_t size = (is_inner(spec, axis) ? bounds.inner : bounds.outer).back();
  for (const Workload& workload : spec.workloads_for(device)) {
    if (const auto extent = workload.axes.find(axis); extent != workload.axes.end()) {
      size = std::max(size, extent->second);
    }
  }
  return size;
}

// As many indices as `most` allows or fewer, more often many than few, shared among the axes at
// random: a long one and short ones, or all of them middling.
Bindings random_shape(const OpSpec& spec, const Bindings& start, const std::string& device,
                      double most, const RandomStream& random, std::uint64_t number) {
  const std::vector<std::string> axes = variable_axes(spec);
  std::uint64_t draw = number * 64;
  const double whole = std::log(most) * std::sqrt(random.uniform(draw++));
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    // Exponentially distributed, so that their shares of the sum are uniform on the simplex.
    shares.push_back(-std::log(1.0 - random.uniform(draw++)) + 1e-9);
    sum += shares.back();
  }
  Bindings shape = start;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto size = static_cast<std::int64_t>(std::exp(whole * shares[i] / sum));
    move_axis(spec, shape, axes[i],
              std::clamp<std::int64_t>(size, 1, longest(spec, axes[i], device)));
  }
  return shape;
}

}  // namespace

std::int64_t element_budget(const std::string& device) { return bounds_of(device).elements; }

Bindings friendly_shape(const OpSpec& spec, const std::string& device, std::int64_t size) {
  constexpr std::int64_t k_part = 8;  // of what the device takes: these shapes run many times
  const Bindings start = start_shape(spec);
  Bindings shape = near(spec, start, size);
  while (size > 1 && elements_of(spec, shape) > bounds_of(device).elements / k_part) {
    size -= (size + 7) / 8;
    shape = near(spec, start, size);
  }
  return shape;
}

namespace {

// The first axis that is contiguous in no tensor of rows; empty when there is none.
std::string axis_of_rows(const OpSpec& spec) {
  const std::vector<std::string> axes = variable_axes(spec);
  const auto found = std::find_if(axes.begin(), axes.end(),
                                  [&](const std::string& axis) { return !is_inner(spec, axis); });
  return found == axes.end() ? std::string() : *found;
}

}  // namespace

std::vector<Bindings> tall_shapes(const OpSpec& spec, const std::string& device) {
  constexpr std::int64_t k_rows = 4099;
  const std::string axis = axis_of_rows(spec);
  if (axis.empty() || device != "cpu") return {};
  // Of a single element some operators make the same whatever it is.
  Bindings shape = near(spec, start_shape(spec), 2);
  if (!move_axis(spec, shape, axis, k_rows)) return {};
  return {shape};
}

std::vector<Bindings> many_rows(const OpSpec& spec, const std::string& device,
                                const std::string& rung) {
  constexpr std::int64_t k_short = 5;
  const auto own = spec.ladder.shapes.find(rung);
  if (own != spec.ladder.shapes.end() && !own->second.empty()) return {};
  Bindings shape = near(spec, start_shape(spec), k_short);
  const std::string axis = axis_of_rows(spec);
  if (axis.empty()) return {};
  move_axis(spec, shape, axis, device == "cpu" ? 320 : 4096);
  return {shape};
}

std::optional<Bindings> rows_of_length(const OpSpec& spec, std::int64_t rows, std::int64_t length) {
  Bindings shape = near(spec, start_shape(spec), 1);
  const std::string axis = axis_of_rows(spec);
  if (axis.empty() || !move_axis(spec, shape, axis, rows)) return std::nullopt;
  for (const std::string& inner : variable_axes(spec)) {
    if (!is_inner(spec, inner)) continue;
    if (!move_axis(spec, shape, inner, length) || shape.at(inner) < length) return std::nullopt;
    break;
  }
  return shape;
}

std::vector<Bindings> value_shapes(const OpSpec& spec, const std::string& device,
                                   const std::string& rung) {
  if (const auto own = spec.ladder.shapes.find(rung);
      own != spec.ladder.shapes.end() && !own->second.empty()) {
    return own->second;
  }
  constexpr std::int64_t k_round = 48;
  constexpr std::int64_t k_few = 5;
  const std::int64_t most_elements = std::int64_t{1} << (device == "cpu" ? 13 : 20);
  const Bindings start = start_shape(spec);
  ShapeList list(spec, most_elements);
  for (const std::int64_t size : {k_round, k_round / 2, k_round / 4}) {
    list.add(near(spec, start, size));
    if (!list.empty()) break;
  }
  for (std::int64_t inner = 1031; inner > 16; inner = inner / 2 | 1) {
    Bindings odd = near(spec, start, k_few);
    for (const std::string& axis : variable_axes(spec)) {
      if (is_inner(spec, axis)) move_axis(spec, odd, axis, inner);
    }
    if (list.add(odd)) break;
  }
  if (list.empty()) list.add_anyway(near(spec, start, k_few));
  return std::move(list).by_size();
}

namespace {

// Halves the longest axis that the constraints let be halved: of contiguous ones only when nothing
// else is left. False when there is none.
bool halve_an_axis(const OpSpec& spec, Bindings& shape) {
  std::vector<std::string> axes;
  for (const auto& [axis, size] : shape) {
    if (size > 1) axes.push_back(axis);
  }
  std::ranges::stable_sort(axes, {}, [&](const std::string& axis) {
    return std::pair(is_inner(spec, axis), -shape.at(axis));
  });
  return std::ranges::any_of(axes, [&](const std::string& axis) {
    Bindings halved = shape;
    if (!move_axis(spec, halved, axis, shape.at(axis) / 2)) return false;
    if (halved.at(axis) >= shape.at(axis)) return false;
    shape = std::move(halved);
    return true;
  });
}

}  // namespace

std::vector<Bindings> workload_slices(const OpSpec& spec, const std::string& device) {
  const std::int64_t most_elements = std::int64_t{1} << (device == "cpu" ? 14 : 19);
  ShapeList list(spec, std::numeric_limits<std::int64_t>::max());
  for (const Workload& workload : spec.workloads_for(device)) {
    Bindings shape = workload.axes;
    while (elements_of(spec, shape) > most_elements && halve_an_axis(spec, shape)) {
    }
    list.add(shape);
  }
  return std::move(list).by_size();
}

std::vector<Bindings> edge_shapes(const OpSpec& spec, const std::string& device,
                                  std::uint64_t seed) {
  const Bounds& bounds = bounds_of(device);
  const std::vector<std::string> axes = variable_axes(spec);
  ShapeList list(spec, bounds.elements);
  if (const auto own = spec.ladder.shapes.find("shapes"); own != spec.ladder.shapes.end()) {
    for (const Bindings& shape : own->second) list.add(shape);
  }
  const Bindings start = start_shape(spec);
  const Bindings small = near(spec, start, 3);
  list.add(near(spec, start, 1));
  constexpr std::array<std::int64_t, 6> k_primes{7, 61, 13, 37, 5, 11};
  Bindings primes = small;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    move_axis(spec, primes, axes[axis], k_primes.at(axis % k_primes.size()));
  }
  list.add(primes);
  for (const std::string& axis : axes) {
    for (const std::int64_t size : is_inner(spec, axis) ? bounds.inner : bounds.outer) {
      Bindings shape = small;
      if (move_axis(spec, shape, axis, size)) list.add(shape);
    }
  }
  const RandomStream random(seed, "shapes");
  const std::uint64_t drawn = device == "cpu" ? 3 : 8;
  const double most = device == "cpu" ? 0x1p13 : 0x1p20;
  for (std::uint64_t number = 0; number < drawn; ++number) {
    list.add(random_shape(spec, small, device, most, random, number));
  }
  return std::move(list).by_size();
}

std::vector<Bindings> round_shapes(const OpSpec& spec, const std::string& device) {
  constexpr std::int64_t k_largest = std::int64_t{1} << 20;
  ShapeList list(spec, bounds_of(device).elements);
  const Bindings small = near(spec, start_shape(spec), 3);
  for (const std::string& axis : variable_axes(spec)) {
    for (std::int64_t size = 4; size <= k_largest; size *= 2) {
      for (const std::int64_t target : {size, size + size / 2}) {
        Bindings shape = small;
        if (move_axis(spec, shape, axis, target)) list.add(shape);
      }
    }
  }
  for (const Workload& workload : spec.workloads_for(device)) list.add(workload.axes);
  return std::move(list).by_size();
}

}  // namespace kernelloop
