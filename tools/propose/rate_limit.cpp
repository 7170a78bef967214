#include "propose/rate_limit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;
using Wait = std::optional<milliseconds>;

std::string header(const HttpResponse& response, const std::string& name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? std::string() : found->second;
}

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool right = end != text.c_str() && *end == '\0' && std::isfinite(value) && value >= 0;
  return right ? std::optional(value) : std::nullopt;
}

milliseconds capped(double value) {
  return milliseconds(static_cast<std::int64_t>(std::clamp(value, 0.0, 1e9)));
}

Wait until(std::tm date, std::time_t now) {
  return capped(static_cast<double>(::timegm(&date) - now) * 1000.0);
}

// "Wed, 21 Oct 2026 07:28:00 GMT" or "2026-10-21T07:28:00Z", with or without fractions.
Wait until_date(const std::string& text, std::time_t now) {
  std::tm date{};
  if (::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) != nullptr ||
      ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &date) != nullptr) {
    return until(date, now);
  }
  return std::nullopt;
}

// "6m0s", "1.5s", "12ms", "1h2m3s".
Wait duration_of(std::string_view text) {
  double total = 0;
  bool any = false;
  while (!text.empty()) {
    const std::size_t digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
    const auto number = number_of(std::string(text.substr(0, digits)));
    text.remove_prefix(digits);
    const std::size_t letters = std::min(text.find_first_of("0123456789."), text.size());
    const std::string_view unit = text.substr(0, letters);
    const double factor = unit == "ms"  ? 1.0
                          : unit == "s" ? 1e3
                          : unit == "m" ? 6e4
                          : unit == "h" ? 3.6e6
                                        : -1.0;
    if (!number || factor < 0) return std::nullopt;
    total += *number * factor;
    any = true;
    text.remove_prefix(letters);
  }
  return any ? Wait(capped(total)) : std::nullopt;
}

// Seconds from now, or seconds or milliseconds of the epoch.
Wait moment_of(const std::string& text, std::time_t now) {
  const auto value = number_of(text);
  if (!value) return std::nullopt;
  const auto seconds_now = static_cast<double>(now);
  if (*value > 1e12) return capped(*value - seconds_now * 1e3);
  return capped((*value > 1e9 ? *value - seconds_now : *value) * 1e3);
}

// The longest wait of the limits that have nothing left.
Wait reset_of_used_up(const HttpResponse& response, std::time_t now) {
  Wait longest;
  const auto consider = [&](const std::string& remaining, const Wait& wait) {
    if (number_of(remaining) == 0.0 && wait && (!longest || *wait > *longest)) longest = wait;
  };
  for (const char* kind : {"requests", "tokens", "input-tokens", "output-tokens"}) {
    const std::string prefix = std::string("anthropic-ratelimit-") + kind;
    consider(header(response, prefix + "-remaining"),
             until_date(header(response, prefix + "-reset"), now));
  }
  for (const char* kind : {"requests", "tokens"}) {
    consider(header(response, std::string("x-ratelimit-remaining-") + kind),
             duration_of(header(response, std::string("x-ratelimit-reset-") + kind)));
  }
  consider(header(response, "x-ratelimit-remaining"),
           moment_of(header(response, "x-ratelimit-reset"), now));
  return longest;
}

}  // namespace

std::optional<milliseconds> asked_wait(const HttpResponse& response, std::time_t now) {
  if (const auto value = number_of(header(response, "retry-after-ms"))) return capped(*value);
  const std::string after = header(response, "retry-after");
  if (const auto value = number_of(after)) return capped(*value * 1e3);
  if (const Wait wait = until_date(after, now)) return wait;
  return reset_of_used_up(response, now);
}

}  // namespace kernelloop
