#include "support/json_schema.hpp"

#include "support/error.hpp"
#include "support/schema_message.hpp"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <algorithm>

namespace kernelloop {
namespace {

// valijson names a place as ["<root>", "[axes]", "[rows]", "[0]"].
std::vector<std::string> tokens_from_context(const std::vector<std::string>& context) {
  std::vector<std::string> tokens;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::string& token = context[i];
    const bool bracketed = token.size() >= 2 && token.front() == '[';
    tokens.push_back(bracketed ? token.substr(1, token.size() - 2) : token);
  }
  return tokens;
}

// The leaves of valijson's report: "failed to validate against child schema" alone helps nobody.
bool is_summary(const std::string& description) {
  return description.find("child schema") != std::string::npos ||
         description.find("Failed to validate item #") != std::string::npos ||
         description.find("Failed to validate against additional properties") !=
             std::string::npos ||
         description.find("Failed to validate against schema associated") != std::string::npos;
}

}  // namespace

std::vector<std::string> schema_violations(const JsonDocument& document,
                                           std::string_view schema_text) {
  const nlohmann::json schema_json = nlohmann::json::parse(schema_text);
  const nlohmann::json target = nlohmann::json::parse(document.value.dump());
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  std::vector<std::string> violations;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(target), &results)) {
    return violations;
  }
  const Json ordered_schema = Json::parse(schema_text);
  std::vector<std::string> summaries;
  for (const auto& error : results) {
    const SchemaMessage message = schema_message(
        ordered_schema, document.value, tokens_from_context(error.context), error.description);
    const std::string text = fmt::format("{}: {}", document.where(message.pointer), message.text);
    (is_summary(error.description) ? summaries : violations).push_back(text);
  }
  return violations.empty() ? summaries : violations;
}

void require_schema(const JsonDocument& document, std::string_view schema_text) {
  constexpr std::size_t k_shown = 5;
  const std::vector<std::string> violations = schema_violations(document, schema_text);
  if (violations.empty()) return;
  std::string message;
  for (std::size_t i = 0; i < std::min(k_shown, violations.size()); ++i) {
    message += (i == 0 ? "" : "\n") + violations[i];
  }
  if (violations.size() > k_shown) {
    message += fmt::format("\n(and {} more)", violations.size() - k_shown);
  }
  throw Error(ExitCode::bad_input, message);
}

}  // namespace kernelloop
