// A shape that is too large for the reference, made of one that is not: the data of a small case,
// its period, repeats along an axis whose indices the op treats each by itself. Then every period
// of the outputs must be what the first is, and the reference has judged that one.
//
// Honest kernels give the same bits in every period, so all but the first are compared as bytes; a
// period with other bits is judged by the reference's values before it is called wrong.
#pragma once

#include "verify/case_data.hpp"
#include "verify/rung.hpp"
#include "verify/verdict.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

class RepeatedCase {
 public:
  // `period` and `spec` must outlive it. Throws Error(io) when memory is short.
  RepeatedCase(const OpSpec& spec, CaseData& period, Repetition repetition);

  [[nodiscard]] const Bindings& axes() const noexcept { return axes_; }  // of the whole
  [[nodiscard]] const TensorArena& arena() const noexcept { return arena_; }

  // Judges every period by what the reference makes of one. The verdicts are those of the first
  // period that is wrong, or of the first.
  std::vector<OutputVerdict> judge(const std::map<std::string, ReferenceOutput>& expected,
                                   const Poison& poison);

 private:
  [[nodiscard]] bool same_as_first(std::int64_t number) const;
  // Copies a period's outputs to where those of the small case are.
  void fetch(std::int64_t number) const;

  const OpSpec& spec_;
  CaseData& period_;
  Repetition repetition_;
  Bindings axes_;
  TensorArena arena_;
};

}  // namespace kernelloop
