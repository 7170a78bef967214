#include "cost/budget.hpp"

#include "support/error.hpp"
#include "support/json_members.hpp"

#include "cost/prices.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

using Limit = std::optional<std::int64_t>;

Limit lower(const Limit& left, const Limit& right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

Limit limit_at(const JsonDocument& document, const std::string& pointer, const Json& object,
               const char* name, double unit) {
  const Json& value = member(object, name);
  if (value.is_null()) return std::nullopt;
  const bool whole = unit > 1 || value.is_number_integer();
  if (!value.is_number() || !whole || value.get<double>() < 0 || value.get<double>() > 1e9) {
    fail(ExitCode::bad_input, "{}: a budget must be a {}number of 0 or more, up to 1e9",
         document.where(pointer + "/" + name), unit > 1 ? "" : "whole ");
  }
  return static_cast<std::int64_t>(std::llround(value.get<double>() * unit));
}

}  // namespace

Budget lower_of(const Budget& left, const Budget& right) {
  return {lower(left.nano_usd, right.nano_usd), lower(left.tokens, right.tokens),
          lower(left.requests, right.requests)};
}

Json to_json(const Budget& budget) {
  return {{"usd", budget.nano_usd ? Json(static_cast<double>(*budget.nano_usd) / 1e9) : Json()},
          {"tokens", budget.tokens ? Json(*budget.tokens) : Json()},
          {"requests", budget.requests ? Json(*budget.requests) : Json()}};
}

Budget budget_from_json(const JsonDocument& document, const std::string& pointer) {
  const Json::json_pointer where(pointer);
  if (!document.value.contains(where)) return {};
  const Json& object = document.value.at(where);
  if (object.is_null()) return {};
  if (!object.is_object()) {
    fail(ExitCode::bad_input, "{}: must be an object", document.where(pointer));
  }
  for (const auto& [name, value] : object.items()) {
    if (name == "usd" || name == "tokens" || name == "requests") continue;
    fail(ExitCode::bad_input, "{}: unknown member \"{}\"; known are usd, tokens, requests",
         document.where(pointer + "/" + name), name);
  }
  return {limit_at(document, pointer, object, "usd", 1e9),
          limit_at(document, pointer, object, "tokens", 1),
          limit_at(document, pointer, object, "requests", 1)};
}

std::string reason_against(const Budget& budget, const Spend& spent, const NextRequest& next,
                           const std::string& owner) {
  if (budget.requests && spent.requests + 1 > *budget.requests) {
    return fmt::format("budget of {} spent: {} of {} requests", owner, spent.requests,
                       *budget.requests);
  }
  if (budget.tokens && spent.tokens + next.tokens > *budget.tokens) {
    return fmt::format("budget of {} spent: {} of {} tokens, and the next request may take {}",
                       owner, spent.tokens, *budget.tokens, next.tokens);
  }
  if (!budget.nano_usd) return {};
  if (!next.nano_usd) {
    return fmt::format(
        "budget of {} cannot be kept: the price of {} is unknown; add a row to your own price "
        "table, or limit tokens or requests instead",
        owner, next.model.empty() ? "this provider" : next.model);
  }
  if (spent.unknown > 0) {
    return fmt::format(
        "budget of {} cannot be kept: {} earlier request{} had an unknown price; limit tokens or "
        "requests instead",
        owner, spent.unknown, spent.unknown == 1 ? "" : "s");
  }
  if (spent.nano_usd + *next.nano_usd > *budget.nano_usd) {
    return fmt::format("budget of {} spent: {} of {}, and the next request may cost {}", owner,
                       money_text(spent.nano_usd), money_text(*budget.nano_usd),
                       money_text(*next.nano_usd));
  }
  return {};
}

}  // namespace kernelloop
