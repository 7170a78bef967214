// How large the terms of a result are where nothing else tells.
//
// The bound of an element's error is a share of the magnitude of its terms (compare.hpp). Where the
// reference does not give that, the elements around it do: of many that are made alike, few cancel.
// But an output of very few elements has no such neighbours, and all of it can cancel by chance;
// and a family can make all elements cancel (rows in order have a mean of 0), or leave only those
// that did within the output's range. Then an honest kernel would be called wrong. So the reference
// itself is asked, by moving its inputs:
//
//   S_i >= max over draws d of |f_i(x (1 + e s_d)) - f_i(x)| / e,   s_d random signs, e = 2^-26
//
// which is sum_j |x_j df_i/dx_j| where the signs of a draw agree with the terms'. That is what a
// backward stable algorithm is held to: an error no larger than what a rounding of its inputs
// makes. Outputs of many elements take the smaller of both directions of a draw, so that a step of
// the function (a rounding, a limit) counts for nothing, and few draws: the root mean square of the
// S_i around tells where these miss.
//
// Outputs of few elements are shown neighbours, too: results for inputs of other signs, where the
// spec serves these. In a tail that is a difference of larger numbers (GELU's by tanh) an output of
// many elements is judged by what stands beside it, and one of a single element by these.
#pragma once

#include "spec/op_spec.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace kernelloop {

class CallServer;
struct ReferenceInputs;
struct ReferenceOutput;

// Fills `probed_terms` of the outputs that need it; `outputs` are the reference's for `inputs`.
// Elements that are not finite on both sides count as not moved. A reference that fails on inputs
// moved by so little leaves them empty: it was right where it was asked to be.
void probe_terms(const std::filesystem::path& library, std::chrono::milliseconds timeout,
                 CallServer& server, const OpSpec& spec, const ReferenceInputs& inputs,
                 std::map<std::string, ReferenceOutput>& outputs);

}  // namespace kernelloop
