// Chooses shapes that find bugs: ones, primes, around the sizes of warps and tiles, odd, huge.
#pragma once

#include "spec/op_spec.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kernelloop {

// How many elements all tensors of one shape may have together, in rungs that choose shapes.
std::int64_t element_budget(const std::string& device);

// The largest extent of an axis that is worth a case of its own: on the CPU device an index of an
// axis that is not contiguous is a block or more, and a thousand of them take seconds.
std::int64_t longest_tried(const OpSpec& spec, const std::string& axis, const std::string& device);

// One small shape with round axes, as close to `size` in every variable axis as the constraints
// and the memory that `device` ("cpu", "cuda") has for many runs allow: with four axes of 1000
// each, a tensor would be too large. Throws Error(bad_input) when no admissible shape is found near
// by and no workload helps.
Bindings friendly_shape(const OpSpec& spec, const std::string& device, std::int64_t size);

// Two small shapes at which values are varied: one with round axes, one with long and odd inner
// axes. Where the spec's ladder has shapes for `rung`, those instead.
std::vector<Bindings> value_shapes(const OpSpec& spec, const std::string& device,
                                   const std::string& rung);

// Many short rows, for values that differ by row. Nothing where the constraints allow no such shape
// or the spec's ladder has shapes for `rung`.
std::vector<Bindings> many_rows(const OpSpec& spec, const std::string& device,
                                const std::string& rung);

// One shape with 4099 rows of two elements, for a launch whose grid stops short of the rows or
// whose index of one has few bits: the CPU device tries no axis of rows longer than 1024 otherwise,
// a GPU many. Nothing where the constraints allow no such shape.
std::vector<Bindings> tall_shapes(const OpSpec& spec, const std::string& device);

// The workloads of the device with fewer rows: as long along contiguous axes, so that they take the
// paths that are timed, and small enough for many runs. Without duplicates, from small to large.
std::vector<Bindings> workload_slices(const OpSpec& spec, const std::string& device);

// Shapes for the rung "shapes", without duplicates and in the order from cheap to dear:
// those of the spec's ladder first, then those made from the variable axes. Some of them are drawn
// from `seed`, long along one axis or along several at once. On the "cpu" device they are bounded
// to what an emulation runs in seconds.
std::vector<Bindings> edge_shapes(const OpSpec& spec, const std::string& device,
                                  std::uint64_t seed);

// Sizes between those that `tested` has along each axis, so that above 64 neighbours differ by a
// factor of 1.5 or so: a kernel may be wrong in a range that every chosen size misses. Each is
// drawn from `seed`, log-uniformly in its part of the gap, the other axes small; bounded as above.
std::vector<Bindings> gap_shapes(const OpSpec& spec, const std::string& device,
                                 const std::vector<Bindings>& tested, std::uint64_t seed);

// For each contiguous axis one shape as long as the longest of the workloads or the ladder, up to a
// third less as `seed` has it, and odd, the others `others` or so. As much shorter as the device
// needs for many runs. Where one element is lost behind a tail of a row that is long and odd.
std::vector<Bindings> long_odd_shapes(const OpSpec& spec, const std::string& device,
                                      std::int64_t others, std::uint64_t seed);

// For every two axes a shape that is long along both, of an aspect ratio that `seed` draws, the
// others at their least; three of them where there are at most three pairs. What a kernel does in
// the second tile of both axes, or with groups of tiles, shows nowhere else. From small to large.
std::vector<Bindings> broad_shapes(const OpSpec& spec, const std::string& device,
                                   std::uint64_t seed);

// For every axis a small shape with one index of it: a single row, column or term is often a path
// of its own. Without duplicates, from small to large.
std::vector<Bindings> thin_shapes(const OpSpec& spec);

// Two shapes with contiguous axes of lengths drawn from `seed`, log-uniformly from 2 to 60 and from
// there to 1800 (less where the elements would be too many), and few indices of the others: a
// kernel may take another path for any range of lengths. From small to large.
std::vector<Bindings> drawn_lengths(const OpSpec& spec, const std::string& device,
                                    std::uint64_t seed);

// Shapes with a contiguous axis that is one longer or one shorter than one of `numbers`, which are
// those of a kernel, and few indices of the others: on either side of a limit it may take another
// path. As many elements as the device takes many times. From small to large.
std::vector<Bindings> lengths_beside(const OpSpec& spec, const std::string& device,
                                     const std::set<std::int64_t>& numbers);

// So many rows, each as long as that or a little longer, the other axes at their least. Nothing
// where there is no such shape, or where an axis that is contiguous is bounded.
std::optional<Bindings> rows_of_length(const OpSpec& spec, std::int64_t rows, std::int64_t length);

// Shapes with one axis at a power of two, or half as much again, the others small, and the
// workloads of the device; in the order from cheap to dear and bounded as above. They reach
// launches that are for round sizes only.
std::vector<Bindings> round_shapes(const OpSpec& spec, const std::string& device);

}  // namespace kernelloop
