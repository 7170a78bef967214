#include "report/cells.hpp"

#include "report/table.hpp"

#include <fmt/format.h>

namespace kernelloop {
namespace {

constexpr const char* k_unknown = "–";

}  // namespace

Cell duration_cell(const std::optional<double>& microseconds, const std::string& pointer) {
  return {microseconds ? duration_text(*microseconds) : k_unknown, pointer};
}

Cell percent_cell(const std::optional<double>& fraction, const std::string& pointer) {
  return {fraction ? fmt::format("{:.1f} %", 100 * *fraction) : k_unknown, pointer};
}

Cell factor_cell(const std::optional<double>& factor, const std::string& pointer) {
  return {factor ? fmt::format("{:.2f}×", *factor) : k_unknown, pointer};
}

Cell count_cell(const std::optional<std::int64_t>& count, const std::string& pointer) {
  return {count ? fmt::format("{}", *count) : k_unknown, pointer};
}

Cell rate_cell(const std::optional<double>& per_second, const std::string& unit,
               const std::string& pointer) {
  return {per_second ? fmt::format("{:.0f} G{}", *per_second / 1e9, unit) : k_unknown, pointer};
}

Cell whole_cell(const std::optional<double>& value, const std::string& unit,
                const std::string& pointer) {
  return {value ? fmt::format("{:.0f} {}", *value, unit) : k_unknown, pointer};
}

Cell money_cell(const std::optional<double>& usd, const std::string& pointer) {
  if (!usd) return {k_unknown, pointer};
  return {*usd > 0 && *usd < 0.01 ? fmt::format("${:.4f}", *usd) : fmt::format("${:.2f}", *usd),
          pointer};
}

Cell text_cell(const std::string& text) { return {text.empty() ? k_unknown : text}; }

}  // namespace kernelloop
