#include "report/cells.hpp"

#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

constexpr const char* k_unknown = "–";

struct Prefix {
  double factor;
  const char* name;
};
// Three digits, or whole giga: what an emulation reaches is not nothing.
std::string rate_text(double per_second, const std::string& unit) {
  constexpr std::array<Prefix, 4> k_prefixes{{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  const auto prefix =
      std::find_if(k_prefixes.begin(), k_prefixes.end() - 1,
                   [&](const Prefix& one) { return per_second >= 0.9995 * one.factor; });
  const double value = per_second / prefix->factor;
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", value, decimals, prefix->name, unit);
}

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
  return {per_second ? rate_text(*per_second, unit) : k_unknown, pointer};
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
