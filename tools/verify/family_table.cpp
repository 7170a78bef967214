#include "verify/families.hpp"
#include "verify/family_draws.hpp"

namespace kernelloop {
namespace {

using Where = InputFamily::Where;
using When = InputFamily::When;

}  // namespace

const std::vector<InputFamily>& input_families() {
  using namespace family_draws;
  static const std::vector<InputFamily> k_families{
      {"tiny", Where::floats, When::always, "the spec's own values, scaled to about 1e-6",
       "limits that are absolute, an epsilon in the wrong place", tiny, 1.0, true},
      {"faint", Where::one_float, When::always,
       "rows of the spec's own values, scaled to just above the smallest normal number and up to "
       "2^36 times as large",
       "what is small taken for 0, a limit that is far below 1e-6", faint, 1.0, false, false, true},
      {"large", Where::floats, When::always,
       "the spec's own values, scaled to where sums of products just do not overflow",
       "partial results in a type of less range", large, 1.0, true},
      {"shifted", Where::floats, When::always,
       "a mean of 64 deviations, in types of 16 bits of 512 in every other row and in one that is "
       "alone",
       "variances as differences of squares, accumulation in a narrow type", shifted, k_shift},
      {"outliers", Where::floats, When::always, "one element in a hundred 100 times farther out",
       "scales taken from a sample, data that is approximated as normal", outliers},
      {"constant", Where::floats, When::always, "one value everywhere", "0 / 0, ties, wrong counts",
       constant},
      {"one_hot", Where::one_float, When::always,
       "zeros and one element per row: by turns at its head, in the middle, at the end, near it, "
       "beside a multiple of a power of two, anywhere",
       "skipped tails, elements read from elsewhere", one_hot},
      {"needle", Where::floats, When::always,
       "the spec's own values with such an element 16 deviations out",
       "skipped tails, sampling: the output follows one element", needle},
      {"leads", Where::floats, When::always,
       "such an element ahead of the others by 2 deviations and up to 24 more, the rows spread "
       "evenly over that",
       "small differences from 1 or 0 that are lost", leads, 1.0, false, false, true},
      {"scales", Where::floats, When::always,
       "rows of the spec's own values, each times a power of two from 2^-24 to 1, or times 0",
       "an epsilon that is left out or taken for a limit, a scale of other rows, 0 / 0", scales,
       1.0, false, false, true},
      {"magnitudes", Where::floats, When::always,
       "rows of every size that does not overflow, of one value among them, and elements of every "
       "size beside each other",
       "a special case for a range of sizes, terms that are left out as too small", magnitudes,
       16.0, false, false, true},
      {"strided", Where::floats, When::always,
       "the spec's own values; the greatest elements of a row at equal distances, by turns a power "
       "of two, 1 and any",
       "a selection that keeps only a few for each thread", strided},
      {"cancelling", Where::one_float, When::always, "pairs whose sum is a 64th of their size",
       "sums in a narrow type, a Kahan term left out", cancelling, 256.0},
      {"exponents", Where::floats, When::always,
       "rows that reach to 11, 88, 104, ... 600 on both sides, where exp() overflows, from a drawn "
       "one on",
       "a maximum that is not subtracted, or not that of the row", exponents, 1.0, false, false,
       true},
      {"ties", Where::floats, When::always,
       "-1, -0, +0 and 1 times a power of two, by turns without the 1 and without the -1",
       "the order among equal elements", ties},
      {"sorted", Where::floats, When::always, "rising and falling rows by turns",
       "selections that rely on random order", sorted},
      {"edge", Where::floats, When::ends_declared, "values at the ends that the spec declares",
       "overflow within the range that is served", edge},
      {"denormal", Where::floats, When::always, "a quarter of the elements below the normal range",
       "divisions by what was flushed to zero; where denormals count, flushing itself", denormal},
      {"infinite", Where::one_float, When::nonfinite_propagates,
       "masked elements (-inf), here and there, in a run at either end, by turns beside others "
       "that lie 128 deviations below; whole rows; a +inf or several; zeros in the other inputs, "
       "whole rows too",
       "NaN that should be 0, and back; skipped zeros; -inf minus -inf in a tile that is masked",
       infinite, 1.0, false, true},
      {"nan", Where::one_float, When::nonfinite_propagates,
       "one NaN in most rows, several in some, with and without sign, half of them with bits of "
       "their own, infinities beside it in a third; zeros in the other inputs, whole rows too",
       "NaN lost in min and max, NaN spread to other rows, NaN in the wrong order", few_nan, 1.0,
       false, true},
      {"near_limit", Where::one_float, When::linear,
       "one element near the top of the range, so that results reach it",
       "results cut off below the limit of their type", near_limit},
      {"lowest", Where::integers, When::always, "the lowest integer everywhere",
       "ranges that start too high, equal indices", lowest},
      {"highest", Where::integers, When::always, "the highest integer everywhere",
       "ranges that end too low, equal indices", highest},
      {"ends", Where::integers, When::always,
       "by turns the lowest, the highest, the special value and what might be taken for it",
       "special values treated as numbers, and back", ends},
  };
  return k_families;
}

const InputFamily& exact_integers() {
  static const InputFamily k_family{"integers",
                                    Where::floats,
                                    When::always,
                                    "small integers",
                                    "one wrong index, one dropped term",
                                    family_draws::integers};
  return k_family;
}

}  // namespace kernelloop
