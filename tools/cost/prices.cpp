#include "cost/prices.hpp"

#include "support/error.hpp"
#include "support/json_members.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <utility>

namespace kernelloop {

extern const std::string_view k_prices_anthropic;
extern const std::string_view k_prices_openai;
extern const std::string_view k_prices_others;

namespace {

[[noreturn]] void fail_row(const JsonDocument& table, const std::string& pointer,
                           const std::string& what) {
  fail(ExitCode::bad_input, "{}: {}", table.where(pointer), what);
}

double rate(const JsonDocument& table, const std::string& pointer, const Json& row,
            const char* name, std::optional<double> otherwise) {
  if (!row.contains(name) && otherwise) return *otherwise;
  const std::optional<double> value = number_member(row, name);
  if (!value || !(*value >= 0 && *value <= 1e6)) {
    fail_row(table, pointer,
             fmt::format("\"{}\" must be a number of USD per million tokens, 0 to 1e6", name));
  }
  return *value;
}

Rates rates_of(const JsonDocument& table, const std::string& pointer, const Json& row) {
  Rates rates;
  rates.input = rate(table, pointer, row, "input", std::nullopt);
  rates.output = rate(table, pointer, row, "output", std::nullopt);
  rates.cache_read = rate(table, pointer, row, "cache_read", rates.input);
  rates.cache_write = rate(table, pointer, row, "cache_write", rates.input);
  rates.cache_write_1h = rate(table, pointer, row, "cache_write_1h", rates.cache_write);
  return rates;
}

std::string day_of(const JsonDocument& table, const std::string& pointer, const Json& row,
                   const char* name) {
  static const std::regex k_day(R"(\d{4}-\d{2}-\d{2})");
  std::string day = text_member(row, name);
  if (row.contains(name) && !std::regex_match(day, k_day)) {
    fail_row(table, pointer + "/" + name, "must be a day, like \"2026-11-29\"");
  }
  return day;
}

void require_known(const JsonDocument& table, const std::string& pointer, const Json& object,
                   const std::vector<std::string>& known) {
  if (!object.is_object()) fail_row(table, pointer, "must be an object");
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fail_row(table, pointer + "/" + name,
             fmt::format("unknown member \"{}\"; known are {}", name, fmt::join(known, ", ")));
  }
}

PriceRow row_of(const JsonDocument& table, const std::string& pointer, const Json& json,
                const std::string& source) {
  require_known(table, pointer, json,
                {"model", "from", "to", "input", "output", "cache_read", "cache_write",
                 "cache_write_1h", "above"});
  PriceRow row;
  row.source = source;
  row.model = text_member(json, "model");
  if (row.model.empty()) fail_row(table, pointer, "lacks \"model\"");
  row.from = day_of(table, pointer, json, "from");
  row.to = day_of(table, pointer, json, "to");
  row.rates = rates_of(table, pointer, json);
  if (json.contains("above")) {
    const std::string inner = pointer + "/above";
    require_known(
        table, inner, json["above"],
        {"input_tokens", "input", "output", "cache_read", "cache_write", "cache_write_1h"});
    row.above_input = count_member(json["above"], "input_tokens");
    if (!row.above_input || *row.above_input < 1) {
      fail_row(table, inner, "\"input_tokens\" must be a whole number above 0");
    }
    row.above = rates_of(table, inner, json["above"]);
  }
  return row;
}

void add_table(const JsonDocument& table, std::vector<PriceRow>& rows) {
  require_known(table, "", table.value, {"schema_version", "collected", "unit", "prices"});
  if (text_member(table.value, "unit") != "USD per million tokens") {
    fail_row(table, "", "\"unit\" must be \"USD per million tokens\"");
  }
  const std::string collected = day_of(table, "", table.value, "collected");
  const std::string source = table.path.string() + (collected.empty() ? "" : " of " + collected);
  const Json& list = list_member(table.value, "prices");
  for (std::size_t i = 0; i < list.size(); ++i) {
    rows.push_back(row_of(table, fmt::format("/prices/{}", i), list[i], source));
  }
}

bool names(const PriceRow& row, const std::string& model) {
  if (row.model == "*" || row.model == model) return true;
  static const std::regex k_snapshot(R"(-(\d{8}|\d{4}-\d{2}-\d{2}))");
  return model.rfind(row.model, 0) == 0 &&
         std::regex_match(model.begin() + static_cast<std::ptrdiff_t>(row.model.size()),
                          model.end(), k_snapshot);
}

// A rate in USD per million tokens is one in thousands of nano-dollars per token. At most a million
// dollars, so that no ledger's sum overflows.
std::int64_t nano(double tokens_times_rate) {
  return static_cast<std::int64_t>(std::llround(std::min(tokens_times_rate * 1e3, 1e15)));
}

const Rates& rates_for(const PriceRow& row, std::int64_t input) {
  return row.above_input && input > *row.above_input ? row.above : row.rates;
}

}  // namespace

Prices::Prices(const std::filesystem::path& own) {
  if (!own.empty()) add_table(read_json(own), rows_);
  for (const auto& [path, text] : {std::pair("prices/anthropic.json", k_prices_anthropic),
                                   std::pair("prices/openai.json", k_prices_openai),
                                   std::pair("prices/others.json", k_prices_others)}) {
    add_table(parse_json(std::string(text), path), rows_);
  }
}

const PriceRow* Prices::find(const std::string& model, const std::string& day) const {
  for (const PriceRow& row : rows_) {
    const bool then = (row.from.empty() || row.from <= day) && (row.to.empty() || day <= row.to);
    if (then && names(row, model)) return &row;
  }
  return nullptr;
}

std::optional<Charge> Prices::cost_of(const std::string& model, const Usage& usage,
                                      const std::string& day) const {
  if (usage.reported_usd) return Charge{nano(*usage.reported_usd * 1e6), "the server"};
  const PriceRow* row = find(model, day);
  if (row == nullptr || !usage.input || !usage.output) return std::nullopt;
  const Rates& rates = rates_for(*row, *usage.input);
  const std::int64_t read = usage.cached_input.value_or(0);
  const std::int64_t written = usage.cache_written.value_or(0);
  const std::int64_t written_1h = std::min(usage.cache_written_1h.value_or(0), written);
  const std::int64_t fresh = std::max<std::int64_t>(0, *usage.input - read - written);
  const double amount = static_cast<double>(fresh) * rates.input +
                        static_cast<double>(read) * rates.cache_read +
                        static_cast<double>(written - written_1h) * rates.cache_write +
                        static_cast<double>(written_1h) * rates.cache_write_1h +
                        static_cast<double>(*usage.output) * rates.output;
  return Charge{nano(amount), row->source};
}

std::optional<std::int64_t> Prices::at_most(const std::string& model, std::int64_t input_tokens,
                                            std::int64_t output_tokens,
                                            const std::string& day) const {
  const PriceRow* row = find(model, day);
  if (row == nullptr) return std::nullopt;
  const Rates& rates = rates_for(*row, input_tokens);
  return nano(static_cast<double>(input_tokens) * std::max(rates.input, rates.cache_write) +
              static_cast<double>(output_tokens) * rates.output);
}

std::string money_text(std::int64_t nano_usd) {
  const double usd = static_cast<double>(nano_usd) / 1e9;
  if (nano_usd == 0 || usd >= 0.1) return fmt::format("{:.2f} USD", usd);
  return fmt::format("{:.4f} USD", std::max(usd, 0.0001));
}

}  // namespace kernelloop
