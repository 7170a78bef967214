// Figures as people read them. Each cell carries the pointer of its number in the report's JSON;
// what is unknown is a dash.
#pragma once

#include "report/document.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kernelloop {

Cell duration_cell(const std::optional<double>& microseconds, const std::string& pointer);
// 0.913 as "91.3 %".
Cell percent_cell(const std::optional<double>& fraction, const std::string& pointer);
// 1.25 as "1.25×".
Cell factor_cell(const std::optional<double>& factor, const std::string& pointer);
Cell count_cell(const std::optional<std::int64_t>& count, const std::string& pointer);
// 3.654e12 as "3654 G" and the unit.
Cell rate_cell(const std::optional<double>& per_second, const std::string& unit,
               const std::string& pointer = {});
// Without decimals, and the unit: "1951 MHz".
Cell whole_cell(const std::optional<double>& value, const std::string& unit,
                const std::string& pointer);
Cell money_cell(const std::optional<double>& usd, const std::string& pointer);
// A dash for "".
Cell text_cell(const std::string& text);

}  // namespace kernelloop
