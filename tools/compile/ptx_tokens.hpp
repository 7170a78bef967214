// The words and signs of a PTX text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernelloop {

struct PtxToken {
  std::string text;  // a word ("%rd1", ".u64", "L2::evict_last"), or one sign
  std::size_t line = 0;
};

// Comments and strings are left out.
std::vector<PtxToken> ptx_tokens(const std::vector<std::string>& lines);

}  // namespace kernelloop
