// A prompt that keeps to a limit: what goes first when there is not room for all of it.
#pragma once

#include "propose/templates.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

// Something that a prompt can do without.
struct Cut {
  std::string part;  // the placeholder of task.md that it shortens
  std::string text;  // what stands there instead
  std::string what;  // in words, for the prompt and the record: "the reference"
};

struct FittedPrompt {
  std::string text;
  std::int64_t tokens = 0;            // of `system` and `text`, by estimate
  std::vector<std::string> left_out;  // what was cut, in the order of cutting
};

// Template `task` with its `parts`. While `system` and it are more than `limit` tokens by estimate
// (0: no limit), the next of `cuts` is made; cuts of parts that are empty or no longer than what
// would stand there are passed over. The part `left_out` says what was cut. Throws Error(bad_input)
// when it is still too long after the last cut.
FittedPrompt fit_prompt(const Templates& templates, const std::string& system,
                        std::map<std::string, std::string> parts, const std::vector<Cut>& cuts,
                        std::int64_t limit);

}  // namespace kernelloop
