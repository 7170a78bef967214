// Numbers by which a kernel may tell one size from the others: the verifier takes them for sizes.
#pragma once

#include "compile/ptx_code.hpp"

#include <cstdint>
#include <set>
#include <string_view>

namespace kernelloop {

// Magnitudes from 3 (smaller sizes are tried anyway) to 2^31 of the numbers that the kernels
// compare with, add, subtract, or put into an exclusive or, rounded where they are not whole; and
// what those that are compared with were before a shift to the right that the kernels make.
std::set<std::int64_t> numbers_in(const PtxCode& code);

// Those of the integer literals of C++ code without comments and strings: where no compiler for the
// GPU says what is made of them.
std::set<std::int64_t> numbers_in(std::string_view code);

}  // namespace kernelloop
