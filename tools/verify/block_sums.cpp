#include "verify/block_sums.hpp"

namespace kernelloop {
namespace {

template <typename Real>
Real load(const double* from) {
  Real value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool any(bool condition) { return condition; }
bool any(PairBits lanes) { return (lanes[0] | lanes[1]) != 0; }
double largest_of(Pair pair) { return larger(pair[0], pair[1]); }

// Element i of a block, or that and the next.
template <typename Real, bool Given>
ElementError<Real> element(const ErrorBlock& block, const Yardsticks& with, int i) {
  const Real expected = load<Real>(block.expected + i);
  const Real size = magnitude_of(expected);
  const Real slab_rms = everywhere<Real>(block.slab_rms);
  Real terms;
  if constexpr (Given) {
    terms = load<Real>(block.magnitude + i);
  } else {
    terms = estimated_terms(with, size, slab_rms);
  }
  return {with, load<Real>(block.got + i), expected, size, slab_rms, terms};
}

}  // namespace

bool all_within(const double* values, int count, double limit) {
  PairBits within = Pair{} == Pair{};
  const Pair limits = everywhere<Pair>(limit);
  const int paired = count / 2 * 2;
  for (int i = 0; i < paired; i += 2) within &= magnitude_of(load<Pair>(values + i)) <= limits;
  const bool last = paired == count || magnitude_of(values[paired]) <= limit;
  return last && (within[0] & within[1]) != 0;
}

// Returns whether a ratio may be a new greatest.
template <bool Given>
bool BlockSums::add_totals(const ErrorBlock& block) {
  // Copies, which the compiler keeps in registers.
  const Yardsticks with = with_;
  const Ratios<Pair> greatest{everywhere<Pair>(ratios_.elementwise),
                              everywhere<Pair>(ratios_.relative), everywhere<Pair>(ratios_.ulp),
                              everywhere<Pair>(ratios_.relative_bound)};
  Totals<Pair> totals = pairs_;
  PairBits may{};
  const int paired = block.count / 2 * 2;
  for (int i = 0; i < paired; i += 2) {
    const auto two = element<Pair, Given>(block, with, i);
    two.add_to(totals);
    may |= two.may_exceed(greatest);
  }
  pairs_ = totals;
  if (paired == block.count) return any(may);
  const auto last = element<double, Given>(block, with, paired);
  last.add_to(singles_);
  return any(may) || any(last.may_exceed(ratios_));
}

template <bool Given>
int BlockSums::update_ratios(const ErrorBlock& block) {
  const double before = ratios_.elementwise;
  Ratios<Pair> greatest{};
  const int paired = block.count / 2 * 2;
  for (int i = 0; i < paired; i += 2) {
    element<Pair, Given>(block, with_, i).raise(greatest);
  }
  if (paired < block.count) {
    element<double, Given>(block, with_, paired).raise(ratios_);
  }
  ratios_.elementwise = larger(ratios_.elementwise, largest_of(greatest.elementwise));
  ratios_.relative = larger(ratios_.relative, largest_of(greatest.relative));
  ratios_.ulp = larger(ratios_.ulp, largest_of(greatest.ulp));
  ratios_.relative_bound = larger(ratios_.relative_bound, largest_of(greatest.relative_bound));
  if (!(ratios_.elementwise > before)) return -1;
  for (int place = 0;; ++place) {
    const auto one = element<double, Given>(block, with_, place);
    if (one.elementwise() == ratios_.elementwise) return place;
  }
}

int BlockSums::add(const ErrorBlock& block) {
  if (block.magnitude != nullptr) return add_totals<true>(block) ? update_ratios<true>(block) : -1;
  return add_totals<false>(block) ? update_ratios<false>(block) : -1;
}

PanelSums BlockSums::sums() const {
  const auto total = [](Pair pair, double single) { return pair[0] + pair[1] + single; };
  const auto most = [](Pair pair, double single) { return larger(largest_of(pair), single); };
  PanelSums sums;
  sums.totals.error = total(pairs_.error, singles_.error);
  sums.totals.error_squares = total(pairs_.error_squares, singles_.error_squares);
  sums.totals.got_squares = total(pairs_.got_squares, singles_.got_squares);
  sums.totals.reference_squares = total(pairs_.reference_squares, singles_.reference_squares);
  sums.totals.product = total(pairs_.product, singles_.product);
  sums.totals.term_squares = total(pairs_.term_squares, singles_.term_squares);
  sums.totals.rounding_squares = total(pairs_.rounding_squares, singles_.rounding_squares);
  sums.totals.max_abs = most(pairs_.max_abs, singles_.max_abs);
  sums.totals.widest_bound = most(pairs_.widest_bound, singles_.widest_bound);
  sums.ratios = ratios_;
  return sums;
}

}  // namespace kernelloop
