// From a model's answer to one whole source text, or to the name of what is wrong with it.
#pragma once

#include "languages/language.hpp"

#include <string>
#include <string_view>

namespace kernelloop {

struct Extraction {
  enum class Problem {
    none,
    empty,           // no text at all
    refusal,         // the model would not
    truncated,       // a fence that never closes, or a stop at the length limit
    no_code,         // no fence and no bare source
    several_blocks,  // more than one block with a launch plan
    not_a_kernel,    // code, but no launch plan in it
    placeholder,     // "... existing code ..." and the like stand for code
    html_escaped,    // &lt; and &gt; instead of < and >
  };
  Problem problem = Problem::none;
  std::string detail;   // one sentence that tells the model what to do; empty without a problem
  std::string source;   // the whole source when there is no problem
  std::string summary;  // of a line "Summary: ..." outside the code
};

const char* name_of(Extraction::Problem problem);

// `stop_reason` as in Answer. Never repairs: what is not surely whole is a problem.
Extraction extract_source(std::string_view text, std::string_view stop_reason,
                          const Language& language = cuda_language());

}  // namespace kernelloop
