#include "support/json_members.hpp"

#include <cmath>

namespace kernelloop {

const Json& member(const Json& json, const char* name) {
  static const Json k_null;
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() ? *found : k_null;
}

const Json& list_member(const Json& json, const char* name) {
  static const Json k_empty = Json::array();
  const Json& found = member(json, name);
  return found.is_array() ? found : k_empty;
}

std::string text_member(const Json& json, const char* name) {
  const Json& found = member(json, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::optional<double> number_member(const Json& json, const char* name) {
  const Json& found = member(json, name);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

std::optional<double> time_member(const Json& json, const char* name) {
  const std::optional<double> time = number_member(json, name);
  return time && std::isfinite(*time) && *time > 0 ? time : std::nullopt;
}

std::optional<std::int64_t> count_member(const Json& json, const char* name) {
  const Json& found = member(json, name);
  if (!found.is_number()) return std::nullopt;
  constexpr double k_end = 9.2e18;
  if (const auto value = found.get<double>(); !(value > -k_end && value < k_end)) {
    return std::nullopt;
  }
  return found.get<std::int64_t>();
}

}  // namespace kernelloop
