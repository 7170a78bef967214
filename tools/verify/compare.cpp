#include "verify/compare.hpp"

#include "support/parallel.hpp"
#include "verify/block_sums.hpp"
#include "verify/elements.hpp"
#include "verify/panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernelloop {
namespace {

constexpr std::int64_t k_smallest_slab = 64;
constexpr double k_infinity = std::numeric_limits<double>::infinity();

// Of a float64 beyond this a sum of squares may overflow; half of its exponent takes it back.
constexpr double k_large = 0x1p500;
constexpr double k_shrink = 0x1p-500;

// A sum of squares that holds those of the largest float64, too.
struct Squares {
  double ordinary = 0.0;
  double large = 0.0;  // times the square of k_shrink

  void add(double magnitude) {
    if (magnitude <= k_large) {
      ordinary += magnitude * magnitude;
    } else {
      large += (magnitude * k_shrink) * (magnitude * k_shrink);
    }
  }
  void add(const Squares& other) {
    ordinary += other.ordinary;
    large += other.large;
  }
  [[nodiscard]] double root_mean(std::int64_t count) const {
    if (count <= 0) return 0.0;
    const auto among = static_cast<double>(count);
    // Beside a large one what is below 2^500 is nothing.
    return large > 0.0 ? std::sqrt(large / among) / k_shrink : std::sqrt(ordinary / among);
  }
};

// What one piece of a reference contributes to its scale.
struct ScalePart {
  Squares squares;
  std::int64_t finite = 0;
  double largest = 0.0;
  std::int64_t first_nan = -1;
  std::int64_t first_equal = -1;
};

ScalePart scale_part(const double* reference, std::int64_t begin, std::int64_t end,
                     std::uint64_t pattern, double limit) {
  ScalePart part;
  for (std::int64_t index = begin; index < end; ++index) {
    const double value = reference[index];
    const double magnitude = std::fabs(value);
    if (magnitude <= limit) {
      part.squares.add(magnitude);
      part.largest = std::max(part.largest, magnitude);
      ++part.finite;
      continue;
    }
    if (std::bit_cast<std::uint64_t>(value) == pattern && part.first_equal < 0) {
      part.first_equal = index;
    }
    if (std::isnan(value) && part.first_nan < 0) part.first_nan = index;
  }
  return part;
}

void keep_first(std::int64_t& first, std::int64_t candidate) {
  if (first < 0) first = candidate;
}

// One piece of an output. Elements that are not finite on both sides are taken out of its blocks.
template <typename Read>
class Piece {
 public:
  Piece(const Read& read, const Yardsticks& yardsticks, const double* reference,
        const double* magnitude)
      : read_(read),
        with_(yardsticks),
        reference_(reference),
        magnitude_(magnitude),
        blocks_(yardsticks) {}

  // Elements [begin, end) of one slab.
  void add(std::int64_t begin, std::int64_t end, double slab_rms) {
    for (; begin < end; begin += k_block) {
      add_block(begin, static_cast<int>(std::min<std::int64_t>(end - begin, k_block)), slab_rms);
    }
  }

  [[nodiscard]] PanelSums sums() const {
    PanelSums sums = counts_;
    const PanelSums blocks = blocks_.sums();
    sums.totals = blocks.totals;
    sums.ratios = blocks.ratios;
    return sums;
  }

 private:
  void add_block(std::int64_t begin, int count, double slab_rms) {
    const double* expected = reference_ + begin;
    for (int i = 0; i < count; ++i) got_[i] = read_(begin + i);
    const bool usual = all_within(got_.data(), count, std::numeric_limits<double>::max()) &&
                       all_within(expected, count, with_.limit);
    ErrorBlock block{count, got_.data(), expected, nullptr, slab_rms};
    if (magnitude_ != nullptr) block.magnitude = magnitude_ + begin;
    if (!usual) take_out(block, begin);
    if (block.count == 0) return;
    const int place = blocks_.add(block);
    if (place >= 0 || counts_.worst < 0) {
      const int element = std::max(place, 0);
      counts_.worst = begin + (usual ? element : place_[element]);
    }
    counts_.compared += block.count;
  }

  void take_out(ErrorBlock& block, std::int64_t begin) {
    int kept = 0;
    for (int i = 0; i < block.count; ++i) {
      const double got = got_[i];
      const double expected = block.expected[i];
      if (!(std::fabs(expected) <= with_.limit) || !(std::fabs(got) < k_infinity)) {
        if (is_unequal_class(with_, got, expected)) counts_.add_unequal_class(begin + i, got);
        continue;
      }
      got_[kept] = got;
      kept_expected_[kept] = expected;
      if (block.magnitude != nullptr) kept_magnitude_[kept] = block.magnitude[i];
      place_[kept++] = i;
    }
    block.count = kept;
    block.expected = kept_expected_.data();
    if (block.magnitude != nullptr) block.magnitude = kept_magnitude_.data();
  }

  const Read read_;
  const Yardsticks with_;
  const double* reference_;
  const double* magnitude_;
  BlockSums blocks_;
  PanelSums counts_;
  std::array<double, k_block> got_;
  std::array<double, k_block> kept_expected_;
  std::array<double, k_block> kept_magnitude_;
  std::array<int, k_block> place_;
};

}  // namespace

std::int64_t slab_length(const std::vector<std::int64_t>& shape, std::int64_t count) {
  std::int64_t slab = 1;
  for (auto axis = shape.rbegin(); axis != shape.rend() && slab < k_smallest_slab; ++axis) {
    slab *= *axis;
  }
  return slab < k_smallest_slab ? std::max<std::int64_t>(count, 1) : slab;
}

ReferenceScale scale_of(std::span<const double> reference, const std::vector<std::int64_t>& shape,
                        std::uint64_t pattern, double largest) {
  ReferenceScale scale;
  // Infinity is not below it.
  const double limit = std::min(largest, std::numeric_limits<double>::max());
  scale.count = static_cast<std::int64_t>(reference.size());
  scale.slab = slab_length(shape, scale.count);
  const std::int64_t slabs = scale.count / scale.slab;
  scale.slab_rms.resize(static_cast<std::size_t>(slabs));

  // Slabs longer than a piece are cut, shorter ones are taken several at a time.
  const std::int64_t pieces_of_slab = chunk_count(scale.slab);
  std::vector<ScalePart> parts(static_cast<std::size_t>(slabs * pieces_of_slab));
  const std::int64_t step = std::max<std::int64_t>(1, k_chunk / scale.slab);
  const auto piece = [&](std::int64_t number) {
    const std::int64_t start = number / pieces_of_slab * scale.slab;
    const std::int64_t begin = start + number % pieces_of_slab * k_chunk;
    parts[static_cast<std::size_t>(number)] = scale_part(
        reference.data(), begin, std::min(begin + k_chunk, start + scale.slab), pattern, limit);
  };
  const auto pieces = static_cast<std::int64_t>(parts.size());
  detail::parallel_for((pieces + step - 1) / step, core_count(), [&](std::int64_t group) {
    const std::int64_t end = std::min(pieces, (group + 1) * step);
    for (std::int64_t number = group * step; number < end; ++number) piece(number);
  });

  Squares squares;
  std::int64_t finite = 0;
  for (std::int64_t slab = 0; slab < slabs; ++slab) {
    Squares slab_squares;
    std::int64_t slab_finite = 0;
    for (std::int64_t number = 0; number < pieces_of_slab; ++number) {
      const ScalePart& part = parts[static_cast<std::size_t>(slab * pieces_of_slab + number)];
      slab_squares.add(part.squares);
      slab_finite += part.finite;
      scale.largest = std::max(scale.largest, part.largest);
      keep_first(scale.first_nan, part.first_nan);
      keep_first(scale.first_equal, part.first_equal);
    }
    scale.slab_rms[static_cast<std::size_t>(slab)] = slab_squares.root_mean(slab_finite);
    squares.add(slab_squares);
    finite += slab_finite;
  }
  scale.rms = squares.root_mean(finite);
  return scale;
}

bool same_class(const DTypeInfo& type, double got, double expected) {
  return same_class(yardsticks_of(type.type, {}), got, expected);
}

bool holds_exactly(DType type, std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [type](double value) {
    std::array<std::byte, 8> bytes{};
    store_element(type, value, bytes.data());
    return load_element(type, bytes.data()) == value;
  });
}

Metrics compare(DType dtype, const std::byte* candidate, std::span<const double> reference,
                const ReferenceScale& scale, const TermMagnitude& magnitude,
                const ErrorModel& model) {
  Yardsticks yardsticks = yardsticks_of(dtype, model);
  yardsticks.amplification = magnitude.amplification();
  std::vector<PanelSums> parts(static_cast<std::size_t>(chunk_count(scale.count)));
  with_reader(dtype, candidate, [&](const auto& read) {
    for_chunks(scale.count, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      Piece piece(read, yardsticks, reference.data(), magnitude.data());
      while (begin < end) {
        const std::int64_t slab = begin / scale.slab;
        const std::int64_t slab_end = std::min(end, (slab + 1) * scale.slab);
        piece.add(begin, slab_end, scale.slab_rms[static_cast<std::size_t>(slab)]);
        begin = slab_end;
      }
      parts[static_cast<std::size_t>(chunk)] = piece.sums();
    });
  });
  PanelSums total;
  for (const PanelSums& part : parts) total.add(part);
  return metrics_of(total, scale);
}

}  // namespace kernelloop
