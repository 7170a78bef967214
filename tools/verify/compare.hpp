// The oracle's arithmetic: how far a candidate's output is from the double reference.
#pragma once

#include "spec/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernelloop {

// The size of a reference output, whole and in slabs. A slab is the smallest run of whole trailing
// axes that holds at least 64 elements (a row, as a rule): the neighbourhood that shares a scale.
struct ReferenceScale {
  std::int64_t count = 0;
  std::int64_t slab = 1;          // elements of a slab
  std::vector<double> slab_rms;   // root mean square of the finite elements of each slab
  double rms = 0.0;               // of the finite elements of the whole output
  double largest = 0.0;           // greatest finite magnitude
  std::int64_t first_nan = -1;    // flat index, or -1
  std::int64_t first_equal = -1;  // first element whose bits are those of `pattern`, or -1
};

// The elements of a slab of an output of `count` elements; at least 1.
std::int64_t slab_length(const std::vector<std::int64_t>& shape, std::int64_t count);

// One pass over a reference output. `pattern` is a bit pattern to look for. Elements beyond
// `largest`, the greatest value of the output's type, count as infinite.
ReferenceScale scale_of(std::span<const double> reference, const std::vector<std::int64_t>& shape,
                        std::uint64_t pattern, double largest);

// The rounding error that the declared arithmetic excuses (gates.hpp derives it).
struct ErrorModel {
  double output_roundoff = 0.0;       // u_out
  double accumulated = 0.0;           // a: u_acc sqrt(K), or more where errors do not average out
  double term_roundoff = 0.0;         // u_in + u_mid: of single terms
  double cut_off = 0.0;               // of tensor cores, relative to the sum; see gates.cpp
  double underflow = 0.0;             // absolute
  double output_underflow = 0.0;      // the part of it that the output's type has
  double root_terms = 1.0;            // sqrt(K)
  double amplification = 1.0;         // of S where it is estimated
  bool random_signs = false;          // terms are as often negative as positive
  bool exact = false;                 // data of which every result is exact
  bool free_where_undefined = false;  // elements whose reference is NaN are not judged

  // The error that one element may have, where S is the magnitude of the terms:
  // 2 u_out |ref| + 8 (accumulated + term_roundoff) S + underflow.
  [[nodiscard]] double bound(double reference, double magnitude) const {
    return 2.0 * output_roundoff * reference + 8.0 * (accumulated + term_roundoff) * magnitude +
           underflow;
  }
};

// Metrics are taken over the elements that are finite on both sides. Infinite where a ratio has no
// denominator.
struct Metrics {
  double max_abs = 0.0;
  double max_rel = 0.0;  // |error| / max(|reference|, RMS of its slab, underflow)
  double mae = 0.0;
  double mse = 0.0;
  double rmse = 0.0;
  double psnr = 0.0;  // dB; the peak is the greatest |reference|
  double cosine = 0.0;
  double normwise = 0.0;     // ||error|| / ||reference||, Frobenius
  double max_ulp = 0.0;      // |error| in spacings of the output dtype around the reference
  double elementwise = 0.0;  // greatest |error| / bound
  // Not of the candidate but of the reference: how far it is from its own rounding to the output's
  // type, normwise. 0: every element can be held exactly. (0 for float64, which cannot tell.)
  double rounding = 0.0;
  std::int64_t compared = 0;
  std::int64_t nonfinite = 0;  // elements whose NaN, +inf or -inf the other side does not share
  std::int64_t unexpected_nan = 0;
  std::int64_t first_nan = -1;  // flat index of the first unexpected NaN
  std::int64_t worst = -1;    // flat index: the first in `nonfinite`, else the greatest bound ratio
  double widest_bound = 0.0;  // greatest bound of an element's error
  double widest_relative_bound = 0.0;  // the same, relative as in max_rel
  double term_rms = 0.0;               // of S
  double factor = 1.0;                 // candidate ~ factor * reference, least squares
  double factor_residual = 0.0;        // ||candidate - factor * reference|| / ||candidate||
};

// Whether the type holds every value exactly.
bool holds_exactly(DType type, std::span<const double> values);

// How the NaN, +inf, -inf and finite elements of the two sides go together. A reference beyond the
// output type's range asks for infinity (or, in an 8-bit type, its greatest value).
bool same_class(const DTypeInfo& type, double got, double expected);

// S of the error bound: the reference's own `magnitude` (empty: not given), else estimated as
// max(|reference|, RMS of its slab) times `amplification`. The sum of the terms' magnitudes is at
// least |reference|, and where terms cancel by chance it is of the order of the neighbours; data
// made to cancel bring their amplification along.
class TermMagnitude {
 public:
  TermMagnitude(const ReferenceScale& scale, std::span<const double> magnitude,
                double amplification = 1.0)
      : scale_(scale), magnitude_(magnitude), amplification_(amplification) {}
  [[nodiscard]] bool given() const { return !magnitude_.empty(); }
  [[nodiscard]] const double* data() const { return given() ? magnitude_.data() : nullptr; }
  [[nodiscard]] double amplification() const { return amplification_; }
  [[nodiscard]] double at(std::int64_t index, double reference, double slab_rms) const {
    if (magnitude_.empty()) return amplification_ * (reference > slab_rms ? reference : slab_rms);
    return magnitude_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] double at(std::int64_t index, double reference) const {
    return at(index, reference, scale_.slab_rms[static_cast<std::size_t>(index / scale_.slab)]);
  }

 private:
  const ReferenceScale& scale_;
  std::span<const double> magnitude_;
  double amplification_;
};

// One pass over both sides, on all cores. `candidate` holds elements of `type`. The metrics depend
// on neither the number of cores nor the width of their vectors; block_sums.hpp says how sums are
// taken.
Metrics compare(DType type, const std::byte* candidate, std::span<const double> reference,
                const ReferenceScale& scale, const TermMagnitude& magnitude,
                const ErrorModel& model);

}  // namespace kernelloop
