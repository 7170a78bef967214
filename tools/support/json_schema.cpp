#include "support/json_schema.hpp"

#include "support/error.hpp"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <algorithm>

namespace kernelloop {
namespace {

// valijson names a place as ["<root>", "[axes]", "[rows]", "[0]"].
std::string pointer_from_context(const std::vector<std::string>& context) {
  std::string pointer;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string token = context[i];
    if (token.size() >= 2 && token.front() == '[') token = token.substr(1, token.size() - 2);
    pointer += "/" + token;
  }
  return pointer;
}

// The leaves of valijson's report: "failed to validate against child schema" alone helps nobody.
bool is_summary(const std::string& description) {
  return description.find("child schema") != std::string::npos ||
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
  std::vector<std::string> summaries;
  for (const auto& error : results) {
    const std::string text = fmt::format(
        "{}: {}", document.where(pointer_from_context(error.context)), error.description);
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
