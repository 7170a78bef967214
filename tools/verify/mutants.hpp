// Wrong results that a ladder must reject: what careless or dishonest kernels return.
#pragma once

#include "device/poison.hpp"
#include "spec/op_spec.hpp"
#include "verify/reference_library.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {

// One launch as a mutant sees it.
struct MutantLaunch {
  const Tensor& output;                                 // the one to spoil
  const ReferenceOutput& truth;                         // of `output`, unrounded
  std::span<const std::byte> copied;                    // bytes of the input named in `copies`
  const std::vector<std::byte>& before;                 // `output` as the case before left it
  const std::vector<std::byte>& first;                  // as the first case of this shape did
  std::function<ReferenceOutput(int significand)> cut;  // of inputs cut to so many bits
  Poison poison;                                        // what `output` held before the launch
};

// One way to be wrong in one output; the other outputs are honest.
struct Mutant {
  std::string name;          // "skipped_tail"
  std::string what;          // "the last element of every row is not written"
  std::string advice;        // what to strengthen when no rung notices
  std::string copies;        // the input that `copied` holds; empty: none
  std::string inapplicable;  // why it cannot be made of this op; empty: it can
  // `bytes` holds the honest result in the output's dtype.
  std::function<void(const MutantLaunch&, std::span<std::byte> bytes)> spoil;
  // Why it is no mutant where it gives the right result in every case; empty: then the cases show
  // too little.
  std::string harmless = {};
};

// Every mutant of this output, in the order from coarse to fine.
std::vector<Mutant> mutants_of(const OpSpec& spec, const Tensor& output);

// The value with its significand rounded to nearest even in `bits` bits (1 to 53), as if the
// exponent had no limits. Zeros and what is not finite stay.
double cut_significand(double value, int bits);

}  // namespace kernelloop
