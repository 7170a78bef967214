// How much may be spent, and whether the next request still fits.
#pragma once

#include "support/json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kernelloop {

// Nothing: no limit.
struct Budget {
  std::optional<std::int64_t> nano_usd;
  std::optional<std::int64_t> tokens;  // input and output together
  std::optional<std::int64_t> requests;

  [[nodiscard]] bool is_limited() const { return nano_usd || tokens || requests; }
};

// Per member the lower of the two.
Budget lower_of(const Budget& left, const Budget& right);

// {"usd": 5.0, "tokens": null, "requests": 100}. The inverse throws Error(bad_input), saying where
// `pointer` stands in the document; a member that is absent or null is no limit.
Json to_json(const Budget& budget);
Budget budget_from_json(const JsonDocument& document, const std::string& pointer);

// What was spent, requests under way at their most.
struct Spend {
  std::int64_t nano_usd = 0;
  std::int64_t tokens = 0;
  std::int64_t requests = 0;
  std::int64_t unknown = 0;  // requests whose cost is not known; nano_usd is without them
};

// The most that the next request can take.
struct NextRequest {
  std::string model;
  std::int64_t tokens = 0;
  std::optional<std::int64_t> nano_usd;  // nothing: the price is not known
};

// Empty when the request fits. Else why not, in one line; `owner` is whose budget it is ("softmax",
// "this run"). A limit in money cannot be kept where a price is unknown: that is a reason too.
std::string reason_against(const Budget& budget, const Spend& spent, const NextRequest& next,
                           const std::string& owner);

}  // namespace kernelloop
