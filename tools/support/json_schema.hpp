// Validation of a JSON document against one of the project's published schemas (schemas/).
#pragma once

#include "support/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// What is wrong with `document`, each as "path:line:column: message"; empty when it is valid.
// `schema_text` is JSON Schema draft 7.
std::vector<std::string> schema_violations(const JsonDocument& document,
                                           std::string_view schema_text);

// Throws Error(bad_input) with the violations (at most five) when there are any.
void require_schema(const JsonDocument& document, std::string_view schema_text);

}  // namespace kernelloop
