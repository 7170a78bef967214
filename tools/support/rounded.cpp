#include "support/rounded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

constexpr int k_most_digits = 6;  // behind the point

double step_for(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  constexpr double k_slack = 1 + 1e-9;  // 0.01 * 100 may be a hair more than 1
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power * k_slack >= least) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string rounded(double value, double precision) {
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{}", value);
  const double step = step_for(std::fabs(value) * precision);
  const double nearest = std::round(value / step) * step;
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  if (digits > k_most_digits) return fmt::format("{:.2e}", nearest);
  std::string text = fmt::format("{:.{}f}", nearest, digits);
  if (digits > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string four_digits(double value) { return fmt::format("{:.4g}", value); }

std::string beside_one(double value, std::string (*otherwise)(double)) {
  const double rest = 1.0 - value;
  const bool near_one = std::fabs(rest) < 0.001;  // which NaN is not
  if (rest == 0.0 || !near_one) return otherwise(value);
  return fmt::format("1 {} {:.2g}", rest > 0 ? '-' : '+', std::fabs(rest));
}

std::string rounded_percent(double share) {
  const double percent = 100 * share;
  return std::fabs(percent) < 10 ? rounded(percent, 0.02) : fmt::format("{:.0f}", percent);
}

std::string spread_in_words(double spread) {
  for (const double limit : {0.01, 0.02, 0.05, 0.1, 0.2, 0.5}) {
    if (spread < limit) return fmt::format("under {:.0f} %", 100 * limit);
  }
  return std::isfinite(spread) ? "50 % or more" : "unknown";
}

}  // namespace kernelloop
