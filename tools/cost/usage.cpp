#include "cost/usage.hpp"

#include "support/json_members.hpp"

namespace kernelloop {
namespace {

Json optional_number(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::optional<std::int64_t> token_count(const Json& json, const char* name) {
  const auto count = count_member(json, name);
  return count && *count >= 0 && *count <= 1'000'000'000'000 ? count : std::nullopt;
}

std::optional<double> reported_cost(const Json& json, const char* name) {
  const auto usd = number_member(json, name);
  return usd && *usd >= 0 && *usd <= 1e6 ? usd : std::nullopt;
}

Json to_json(const Usage& usage) {
  Json json = {{"input", optional_number(usage.input)},
               {"output", optional_number(usage.output)},
               {"cached_input", optional_number(usage.cached_input)}};
  if (usage.cache_written) json["cache_written"] = *usage.cache_written;
  if (usage.cache_written_1h) json["cache_written_1h"] = *usage.cache_written_1h;
  if (usage.reasoning) json["reasoning"] = *usage.reasoning;
  if (usage.reported_usd) json["reported_usd"] = *usage.reported_usd;
  return json;
}

Usage usage_from_json(const Json& json) {
  return {token_count(json, "input"),
          token_count(json, "output"),
          token_count(json, "cached_input"),
          token_count(json, "cache_written"),
          token_count(json, "cache_written_1h"),
          token_count(json, "reasoning"),
          reported_cost(json, "reported_usd")};
}

}  // namespace kernelloop
