// Names that become identifiers of generated C++ code, and expressions over given names.
#pragma once

#include "spec/expression.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// Why `name` cannot name an operator, an axis or a tensor, with the remedy; empty when it can: a C
// identifier that C++, CUDA, the macros of their headers, the expression language, the launch plan
// and the generated library leave free (taken_names.txt).
std::string name_fault(std::string_view name);

// Parses an expression that may only use `names`, which are called `kind` ("axis") in the message.
// Throws ExpressionError, also for another name, with its place and a hint.
Expression parse_expression_over(std::string_view text, const std::vector<std::string>& names,
                                 std::string_view kind);

// `in "rows * * cols", offset 7: expected a number, ...`
std::string describe(const ExpressionError& error, std::string_view text);

}  // namespace kernelloop
