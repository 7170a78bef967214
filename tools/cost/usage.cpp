#include "cost/usage.hpp"

#include "support/json_members.hpp"

namespace kernelloop {
namespace {

Json optional_number(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

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
  return {count_member(json, "input"),
          count_member(json, "output"),
          count_member(json, "cached_input"),
          count_member(json, "cache_written"),
          count_member(json, "cache_written_1h"),
          count_member(json, "reasoning"),
          number_member(json, "reported_usd")};
}

}  // namespace kernelloop
