#include "propose/agent_result.hpp"

#include "support/json_members.hpp"

namespace kernelloop {
namespace {

std::optional<AgentResult> result_in(std::string_view text, const std::string& pointer) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const Json::json_pointer where(pointer);
  if (!json.contains(where) || !json.at(where).is_string()) return std::nullopt;
  AgentResult result;
  result.text = json.at(where).get<std::string>();
  result.is_error = member(json, "is_error") == true || !member(json, "error").is_null();
  const Json& usage = member(json, "usage");
  result.usage.input = token_count(usage, "input_tokens");
  result.usage.output = token_count(usage, "output_tokens");
  const auto read = token_count(usage, "cache_read_input_tokens");
  const auto written = token_count(usage, "cache_creation_input_tokens");
  if (result.usage.input) *result.usage.input += read.value_or(0) + written.value_or(0);
  result.usage.cached_input = read;
  result.usage.cache_written = written;
  result.usage.reported_usd = reported_cost(json, "total_cost_usd");
  return result;
}

}  // namespace

std::optional<AgentResult> read_agent_result(std::string_view output, const std::string& pointer) {
  if (auto whole = result_in(output, pointer)) return whole;
  for (std::size_t end = output.size(); end > 0;) {
    const std::size_t line = output.rfind('\n', end - 1);
    const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
    if (auto found = result_in(output.substr(start, end - start), pointer)) return found;
    if (line == std::string_view::npos) break;
    end = line;
  }
  return std::nullopt;
}

}  // namespace kernelloop
