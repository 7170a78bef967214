// Families of input values: what makes an operator show its mistakes, one table, one small function
// each. docs/verification.md says what each of them is for.
#pragma once

#include "spec/op_spec.hpp"
#include "support/random.hpp"
#include "verify/gates.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kernelloop {

// What a family knows of the tensor it fills.
struct FamilyDraw {
  DType type;
  InputValues values;      // the spec's own, at this shape
  double center;           // of the spec's own values
  double spread;           // their standard deviation; for a constant its magnitude, or 1
  std::int64_t rows;       // all axes but the last
  std::int64_t cols;       // the last axis
  double limit;            // greatest magnitude whose products and sums do not overflow
  double top;              // a quarter of what inputs, sums and outputs can all hold
  double smallest_normal;  // of the dtype
  bool flushes;            // the spec lets denormals become zero
  RandomStream stream;
  std::span<const std::int64_t> places = {};  // of FamilyChoice

  // What the spec's own values would be at `index`.
  [[nodiscard]] double own(std::int64_t index) const;
  // In [0, 1); independent of own() and for each `draw` from 0 to 3.
  [[nodiscard]] double uniform(std::int64_t index, std::uint64_t draw = 0) const;
  [[nodiscard]] std::int64_t row(std::int64_t index) const { return index / cols; }
  [[nodiscard]] std::int64_t column(std::int64_t index) const { return index % cols; }
  // Whether this is the one element of its row that stands out: by turns at the head, in the
  // middle, at the end, near it, beside a multiple of a power of two, anywhere; and the last
  // element of the tensor.
  [[nodiscard]] bool is_needle(std::int64_t index) const;
  // Its column.
  [[nodiscard]] std::int64_t needle_of(std::int64_t row) const;
  // Whether it is the one element of the tensor that the seed chooses.
  [[nodiscard]] bool is_chosen(std::int64_t index) const;
};

struct InputFamily {
  // Whose elements it draws: all floating tensors, one of them at a time, or integer tensors.
  enum class Where { floats, one_float, integers };
  // What the spec must say before it is drawn; for `linear` also what the reference shows
  // (linearity.hpp).
  enum class When { always, ends_declared, nonfinite_propagates, linear };

  // What else has to be known of data of this family.
  struct Traits {
    // Of finite families, where the reference does not say how large its terms are: how far these
    // may exceed the outputs.
    double amplification = 1.0;
    bool scales_own = false;  // the spec's own values times a factor
    // While it draws one input, an eighth of the elements of the others that it could draw is 0.
    bool zeros_beside = false;
    // Draws something for each row, so that many rows show more.
    bool differs_by_row = false;
    // One element of a row decides what comes out: lost behind the tail of a long row it shows,
    // where it would vanish among the spec's own values.
    bool single_elements_count = false;
    // The elements of a row may be alike, or a few exceed the others by far: the rounding errors of
    // a sum may then all point one way (ErrorModel::one_way).
    bool rounds_one_way = false;
  };

  std::string_view name;
  Where where;
  When when;
  std::string_view draws;  // in words
  std::string_view finds;
  double (*draw)(const FamilyDraw& tensor, std::int64_t index);
  Traits traits = {};
};

// In the order in which they are tried.
const std::vector<InputFamily>& input_families();

// Small integers of which every sum and product is exact, for the rung `exact`.
const InputFamily& exact_integers();

// A family, and for one that draws a single input the name of that.
struct FamilyChoice {
  const InputFamily* family = nullptr;  // nullptr: the spec's own values
  std::string input;                    // empty: every input that the family draws
  // Columns at which the elements that stand out do so, each in two rows of either sign; empty:
  // where FamilyDraw::needle_of has them.
  std::vector<std::int64_t> places = {};
};

// Every choice that the spec lets be tried: a family for all its inputs, or one for each.
std::vector<FamilyChoice> family_choices(const OpSpec& spec);

// Whether `family` may draw input `tensor`; the input keeps its own values otherwise.
bool draws_input(const InputFamily& family, const Tensor& tensor);

// Whether the spec lets `family` be tried, and there is an input that it draws.
bool applies(const InputFamily& family, const OpSpec& spec);

// What gates have to know about data of this family (nullptr: the spec's own values).
DataTraits traits_of(const InputFamily* family, const OpSpec& spec);

// Fills one input of a case as draw_tensor does: from the family where it is chosen for this input,
// else with the spec's own values.
void draw_input(const OpSpec& spec, const Tensor& tensor, const Bindings& axes,
                const FamilyChoice& choice, std::uint64_t seed, std::span<std::byte> bytes,
                std::span<double> exact);

}  // namespace kernelloop
