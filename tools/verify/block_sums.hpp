// Adds up the errors of an output a block at a time, with vector instructions.
//
// Sums are taken in two interleaved lanes, so that their last digits differ from those of a loop
// from first to last, and the widest relative bound may be one unit in its last place too small.
// Both depend on nothing but the data: not on the number of cores, and not on the width of the
// machine's vectors. All other maxima are exact.
#pragma once

#include "verify/element_error.hpp"
#include "verify/panel_sums.hpp"

namespace kernelloop {

inline constexpr int k_block = 256;  // even

// Up to k_block elements of one slab that are finite on both sides.
struct ErrorBlock {
  int count = 0;
  const double* got = nullptr;
  const double* expected = nullptr;
  const double* magnitude = nullptr;  // nullptr: estimated
  double slab_rms = 0.0;
};

// Whether no element is NaN or of a magnitude beyond the limit.
bool all_within(const double* values, int count, double limit);

class BlockSums {
 public:
  explicit BlockSums(const Yardsticks& yardsticks) : with_(yardsticks) {}

  // Adds a block. Returns the place in it of the first element whose ratio to its bound exceeds all
  // before, else -1.
  int add(const ErrorBlock& block);

  // Sums and maxima of the blocks so far; counts and places are the caller's.
  [[nodiscard]] PanelSums sums() const;

 private:
  template <bool Given>
  bool add_totals(const ErrorBlock& block);
  template <bool Given>
  int update_ratios(const ErrorBlock& block);

  Yardsticks with_;
  Totals<Pair> pairs_;
  Totals<double> singles_;  // the last elements of blocks of odd length
  Ratios<double> ratios_;
};

}  // namespace kernelloop
