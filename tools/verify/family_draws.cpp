#include "verify/family_draws.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

namespace kernelloop::family_draws {
namespace {

constexpr double k_overflown = std::numeric_limits<double>::infinity();

// 2^round(log2(size)): a unit in which few bits are set.
double power_of_two_near(double size) { return std::exp2(std::round(std::log2(size))); }

double size_of(const FamilyDraw& tensor) { return std::fabs(tensor.center) + tensor.spread; }

// Rows alternate, so that one tensor shows both.
double sign_of(std::int64_t row) { return row % 2 == 0 ? 1.0 : -1.0; }

// A number of its own for each row.
double row_uniform(const FamilyDraw& tensor, std::int64_t row) {
  return tensor.uniform(row * tensor.cols, 3);
}

// A quiet NaN, half of them the usual one; the others have bits of their own in the upper part of
// the significand, which types of 16 bits keep.
double nan_of(double random) {
  constexpr auto k_usual = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  constexpr double k_patterns = 0x1p51;  // below the bit that says quiet
  const double own = random < 0.5 ? 0.0 : (2.0 * random - 1.0) * k_patterns;
  return std::bit_cast<double>(k_usual | static_cast<std::uint64_t>(own));
}

}  // namespace

double farthest_shift(DType type) {
  constexpr double k_far = 512.0;
  const double unit = info(type).unit_roundoff;
  return unit >= 0x1p-11 && unit <= 0x1p-8 ? k_far : k_shift;
}

double tiny(const FamilyDraw& tensor, std::int64_t index) {
  const double scale = std::max(1e-6, 16.0 * tensor.smallest_normal) / size_of(tensor);
  return tensor.own(index) * scale;
}

// From 2^4 to 2^40 times the smallest normal number, with none of its elements so close to zero
// that it is less than normal: what may be flushed is no smaller.
double faint(const FamilyDraw& tensor, std::int64_t index) {
  constexpr double k_octaves = 36.0;
  const double own = tensor.own(index) / size_of(tensor);
  const double away = own + std::copysign(0.25, own);
  const double scale = 0x1p4 * tensor.smallest_normal *
                       std::exp2(std::floor(k_octaves * row_uniform(tensor, tensor.row(index))));
  return away * std::min(scale, 1.0);
}

double large(const FamilyDraw& tensor, std::int64_t index) {
  return tensor.own(index) * (tensor.limit / (4.0 * size_of(tensor)));
}

// Every other row farther away where the type has few bits, and a row that is alone: what a
// difference of squares loses there shows beside what rounding results to such a type costs. Not
// where sums would overflow.
double shifted(const FamilyDraw& tensor, std::int64_t index) {
  const double farther = farthest_shift(tensor.type);
  const bool chosen = tensor.rows == 1 || tensor.row(index) % 2 == 1;
  const bool far = chosen && farther * tensor.spread <= tensor.limit;
  return tensor.own(index) + (far ? farther : k_shift) * tensor.spread;
}

double outliers(const FamilyDraw& tensor, std::int64_t index) {
  const double factor = tensor.uniform(index) < 0.01 ? 100.0 : 1.0;
  return tensor.center + (tensor.own(index) - tensor.center) * factor;
}

// Three significant bits: sums of it are exact, so that no rounding is repeated in one direction.
double constant(const FamilyDraw& tensor, std::int64_t /*index*/) {
  const double fraction = 1.0 + std::floor(4.0 * tensor.uniform(0, 0)) / 4.0;
  const bool negative =
      tensor.center < 0.0 || (tensor.center < tensor.spread && tensor.uniform(0, 1) < 0.5);
  return (negative ? -fraction : fraction) * power_of_two_near(size_of(tensor));
}

double one_hot(const FamilyDraw& tensor, std::int64_t index) {
  return tensor.is_needle(index) ? sign_of(tensor.row(index)) * size_of(tensor) : 0.0;
}

double needle(const FamilyDraw& tensor, std::int64_t index) {
  if (!tensor.is_needle(index)) return tensor.own(index);
  return tensor.center + sign_of(tensor.row(index)) * 16.0 * tensor.spread;
}

// Where exp() of the rest vanishes beside it, by degrees: the rows, however few, are spread evenly
// over them.
double leads(const FamilyDraw& tensor, std::int64_t index) {
  constexpr double k_golden = 0.6180339887498949;
  if (!tensor.is_needle(index)) return tensor.own(index);
  const double place = tensor.uniform(0, 3) + k_golden * static_cast<double>(tensor.row(index));
  return tensor.center + 2.0 * tensor.spread + 24.0 * (place - std::floor(place));
}

// Rows of all sizes between the spec's own and those of `tiny`, where neither a constant that is
// added nor the elements prevail, and among several rows some of zeros.
double scales(const FamilyDraw& tensor, std::int64_t index) {
  constexpr double k_powers = 25.0;
  const double choices = tensor.rows > 1 ? k_powers + 2.0 : k_powers;
  const double down = std::floor(choices * row_uniform(tensor, tensor.row(index)));
  if (down >= k_powers) return 0.0;
  return tensor.own(index) * std::exp2(-down);
}

// Of every size whose sums and products do not overflow, by turns: rows of one size, rows of one
// size and one sign, rows whose elements have sizes of their own, as those of a single row do, and
// rows of one value.
double magnitudes(const FamilyDraw& tensor, std::int64_t index) {
  const double top = std::log2(tensor.limit / 4.0);
  const double bottom = std::max(-40.0, std::log2(16.0 * tensor.smallest_normal));
  const auto drawn = [&](double random) {
    return std::exp2(std::floor(bottom + (top - bottom) * random));
  };
  const std::int64_t kind = tensor.rows == 1 ? 2 : tensor.row(index) % 4;
  if (kind == 2) return tensor.own(index) / size_of(tensor) * drawn(tensor.uniform(index, 1));
  const double size = drawn(row_uniform(tensor, tensor.row(index)));
  if (kind == 0) return tensor.own(index) / size_of(tensor) * size;
  const bool negative = tensor.uniform(tensor.row(index) * tensor.cols, 2) < 0.5;
  // Of three significant bits where it is one value, so that sums of it are exact.
  const double fraction = kind == 3
                              ? std::floor(4.0 * row_uniform(tensor, tensor.row(index) + 1)) / 4.0
                              : tensor.uniform(index);
  return (negative ? -size : size) * (1.0 + fraction);
}

// The greatest elements stand at equal distances: 5 to 64 of them, as the elements that one thread
// or lane sees. By turns a power of two apart, side by side, and any distance apart.
double strided(const FamilyDraw& tensor, std::int64_t index) {
  const double random = row_uniform(tensor, tensor.row(index));
  std::int64_t stride = 1;
  while (stride * 16 <= tensor.cols) stride *= 2;
  stride = std::max<std::int64_t>(1, stride >> static_cast<int>(3.0 * random));
  const double place = 3.0 * random - std::floor(3.0 * random);
  // A row that is alone is any of these.
  const auto drawn = static_cast<std::int64_t>(4.0 * tensor.uniform(0, 2));
  const std::int64_t turn = tensor.rows == 1 ? drawn : tensor.row(index) % 4;
  bool chosen = false;
  if (turn == 1) {
    const std::int64_t run = std::min<std::int64_t>(16, tensor.cols);
    const auto first =
        static_cast<std::int64_t>(place * static_cast<double>(tensor.cols - run + 1));
    const std::int64_t offset = tensor.column(index) - first;
    chosen = offset >= 0 && offset < run;
  } else {
    // Up to half as far again, so that there are 5 of them still.
    if (turn == 3) stride += static_cast<std::int64_t>(place * static_cast<double>(stride) / 2.0);
    const auto first = static_cast<std::int64_t>(place * static_cast<double>(stride));
    chosen = tensor.column(index) % stride == first;
  }
  if (!chosen) return tensor.own(index);
  return tensor.center + (6.0 + 2.0 * tensor.uniform(index)) * tensor.spread;
}

// Pairs that cancel but for a little that does not.
double cancelling(const FamilyDraw& tensor, std::int64_t index) {
  const std::int64_t column = tensor.column(index);
  if (column % 2 == 0) return tensor.own(index);
  return tensor.spread / 64.0 - tensor.own(index - 1);
}

// Where exp() leaves the range of float16, float32 and float16 subnormals, and farther out, the
// rows by turns from one that is drawn: the last element is the greatest or the lowest.
double exponents(const FamilyDraw& tensor, std::int64_t index) {
  constexpr std::array k_edges{11.0, 12.0, 17.0, 88.0, 89.0, 104.0, 128.0, 200.0, 600.0};
  constexpr std::int64_t k_turns = 2 * std::ssize(k_edges);  // of either sign at the end of a row
  const auto first = static_cast<std::int64_t>(k_turns * tensor.uniform(0, 2));
  const std::int64_t turn = first + tensor.row(index);
  const double edge = k_edges.at(static_cast<std::size_t>(turn) % k_edges.size());
  if (tensor.column(index) == tensor.cols - 1) return edge * sign_of(turn);
  return edge * (2.0 * tensor.uniform(index) - 1.0);
}

// Four values, of which two are equal: -0 and +0. By turns all of them, none above zero and none
// below, so that the zeros are the greatest and the lowest too.
double ties(const FamilyDraw& tensor, std::int64_t index) {
  constexpr std::array k_values{-1.0, -0.0, 0.0, 1.0};
  const auto drawn = static_cast<std::int64_t>(3.0 * tensor.uniform(0, 2));
  const std::int64_t turn = tensor.rows == 1 ? drawn : tensor.row(index) % 3;
  const double random = tensor.uniform(index);
  const double place = turn == 0 ? 4.0 * random : 3.0 * random + (turn == 1 ? 0.0 : 1.0);
  return k_values.at(static_cast<std::size_t>(place)) * power_of_two_near(size_of(tensor));
}

double sorted(const FamilyDraw& tensor, std::int64_t index) {
  const double last = static_cast<double>(std::max<std::int64_t>(1, tensor.cols - 1));
  const double place = 4.0 * static_cast<double>(tensor.column(index)) / last - 2.0;
  return tensor.center + sign_of(tensor.row(index)) * tensor.spread * place;
}

// By turns: rows at one end, at the other, two within an eighth of either end by chance, and rows
// within an eighth of one end; an open end leaves its side out. Whole rows of one extreme value are
// where a shift by it, or by its logarithm, is lost; rows beyond a limit that a kernel takes for
// the end are where it finds nothing.
double edge(const FamilyDraw& tensor, std::int64_t index) {
  const InputValues& values = tensor.values;
  const double low = values.at_least ? *values.at_least : *values.at_most / 2.0;
  const double high = values.at_most ? *values.at_most : *values.at_least * 2.0;
  const double inwards = (high - low) * tensor.uniform(index) / 8.0;
  switch (tensor.row(index) % 6) {
    case 0:
      return low;
    case 1:
      return high;
    case 4:
      return low + inwards;
    case 5:
      return high - inwards;
    default:
      return tensor.uniform(index, 1) < 0.5 ? low + inwards : high - inwards;
  }
}

// A quarter of the elements, or where denormals count every other row whole. Numbers that may be
// flushed are so small that flushing them is within the bounds.
double denormal(const FamilyDraw& tensor, std::int64_t index) {
  const bool whole_row = !tensor.flushes && tensor.row(index) % 2 == 0;
  if (!whole_row && tensor.uniform(index) >= 0.25) return tensor.own(index);
  const double top = tensor.smallest_normal * (tensor.flushes ? 0x1p-4 : 1.0);
  const double sign = tensor.uniform(index, 1) < 0.5 ? -1.0 : 1.0;
  const double down = 6.0 * tensor.uniform(index, 2);
  // Some rows with many that are equal.
  return sign * top * std::exp2(tensor.row(index) % 4 == 3 ? -std::floor(down) : -down);
}

// Masked elements, by chance and in one run ahead of the others or behind them, as padding is; one
// that overflowed, in every eighth row several; and a row masked whole. A row that is alone is any
// of these. By turns the others lie so far below zero that exp() of them is 0, beside a run in
// the first rows: what stands in for the maximum of nothing must not be greater than they are.
double infinite(const FamilyDraw& tensor, std::int64_t index) {
  constexpr double k_far_below = 128.0;  // deviations
  const std::int64_t row = tensor.row(index);
  const auto drawn = static_cast<std::int64_t>(8.0 * tensor.uniform(0, 2));
  const std::int64_t kind = tensor.rows == 1 ? drawn : row % 8;
  const double others = static_cast<double>(std::max<std::int64_t>(1, tensor.cols - 1));
  const auto run = 1 + static_cast<std::int64_t>(others * row_uniform(tensor, row));
  if (kind == 5 && tensor.uniform(index, 1) < 0.125) return k_overflown;
  const bool in_a_run = kind % 4 == 3;
  const bool low = tensor.rows == 1 ? tensor.uniform(0, 3) < 0.5 : in_a_run == (row % 16 < 8);
  const double visible = tensor.own(index) - (low ? k_far_below * tensor.spread : 0.0);
  switch (kind) {
    case 1:
    case 5:
      return tensor.is_needle(index) ? k_overflown : tensor.own(index);
    case 2:
    case 6:
      return -k_overflown;
    case 3:
      return tensor.column(index) < run ? -k_overflown : visible;
    case 7:
      return tensor.column(index) >= tensor.cols - run ? -k_overflown : visible;
    default:
      return tensor.uniform(index) < 0.25 ? -k_overflown : visible;
  }
}

// One in most rows, with the sign bit in every other; several of both kinds in every fourth. Every
// third row has infinities too, before and behind it. Not all NaN have the same bits.
double few_nan(const FamilyDraw& tensor, std::int64_t index) {
  const double nan = nan_of(tensor.uniform(index, 3));
  const std::int64_t kind = tensor.row(index) % 4;
  const double sign = tensor.uniform(index, 1) < 0.5 ? -1.0 : 1.0;
  if (kind == 2 && tensor.uniform(index) < 0.125) return std::copysign(nan, sign);
  const bool chosen = kind != 3 || tensor.row(index) == tensor.rows - 1;
  if (chosen && tensor.is_needle(index)) return std::copysign(nan, kind == 1 ? -1.0 : 1.0);
  if (tensor.row(index) % 3 == 1 && tensor.uniform(index, 2) < 0.125) {
    return std::copysign(k_overflown, -sign);
  }
  return tensor.own(index);
}

// One element that lifts the results which it enters to the top of the range: by itself in half of
// the cases, in the others times the ordinary ones, which are at most 4 or so times smaller than
// their own greatest.
double near_limit(const FamilyDraw& tensor, std::int64_t index) {
  if (!tensor.is_chosen(index)) return tensor.own(index);
  const double sign = tensor.uniform(index) < 0.5 ? -1.0 : 1.0;
  const double factor = tensor.uniform(index, 2) < 0.5 ? 1.0 : 3.96875;
  return sign * factor * tensor.top * (0.75 + 0.25 * tensor.uniform(index, 1));
}

double lowest(const FamilyDraw& tensor, std::int64_t /*index*/) { return tensor.values.low; }

double highest(const FamilyDraw& tensor, std::int64_t /*index*/) { return tensor.values.high; }

// Where there is a special value by turns the two ends, that value, and numbers which might be
// taken for it: the same without the sign, its neighbours, and what has the same lowest 8 or 16
// bits.
double ends(const FamilyDraw& tensor, std::int64_t index) {
  constexpr std::int64_t k_turns = 8;
  const InputValues& values = tensor.values;
  const double end = tensor.uniform(index) < 0.5 ? values.low : values.high;
  if (!(values.special_share > 0.0)) return end;
  const double special = values.special_value;
  const auto wrapped = [special](double range) {
    return special - range * std::floor(special / range);
  };
  const std::array by_turns{special,       -special,       special - 1.0,
                            special + 1.0, wrapped(0x1p8), wrapped(0x1p16)};
  const auto first = static_cast<std::int64_t>(k_turns * tensor.uniform(0, 3));
  const auto turn = static_cast<std::size_t>((index + first) % k_turns);
  if (turn >= by_turns.size()) return end;
  const bool valid = turn == 0 || (by_turns[turn] >= values.low && by_turns[turn] <= values.high);
  return valid ? by_turns[turn] : end;
}

// Sums of products of two such integers keep their standard deviation below a fifth of what the
// output's type counts up to; exact_limit() in families.cpp puts that into `limit`.
double integers(const FamilyDraw& tensor, std::int64_t index) {
  const double largest = std::max(1.0, tensor.limit);
  const double density = std::min(1.0, tensor.limit);
  if (tensor.uniform(index, 1) >= density) return 0.0;
  return std::floor((2.0 * largest + 1.0) * tensor.uniform(index)) - largest;
}

}  // namespace kernelloop::family_draws
