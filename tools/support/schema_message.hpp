// The validator says that a value breaks a rule; this says what was found and what would be right.
#pragma once

#include "support/json.hpp"

#include <string>
#include <vector>

namespace kernelloop {

struct SchemaMessage {
  std::string pointer;  // of the value that is wrong, or of the unknown member
  std::string text;     // what is wrong and the remedy
};

// `tokens` lead from the root to the value; `description` is the validator's own text, which is
// kept when there is nothing better to say.
SchemaMessage schema_message(const Json& schema, const Json& document,
                             const std::vector<std::string>& tokens,
                             const std::string& description);

}  // namespace kernelloop
