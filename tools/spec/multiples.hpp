// What conditions say of divisibility, so that a compiler may rely on it.
#pragma once

#include "spec/expression.hpp"

#include <cstdint>
#include <optional>

namespace kernelloop {

// Whether `value` is a multiple of `factor` (positive) wherever `condition` holds (absent: always).
// `fixed` binds the names that never change. True when the value is known and a multiple, and when
// the condition has, among those that && joins, `value % m == 0` or `value == m` with a constant m
// that `factor` divides; the same expression, in whatever spacing or parentheses. False may also
// mean that nothing shows it.
bool is_multiple(const Expression& value, const std::optional<Expression>& condition,
                 std::int64_t factor, const Bindings& fixed);

}  // namespace kernelloop
