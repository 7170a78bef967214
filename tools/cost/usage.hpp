// Tokens as a provider counts them.
#pragma once

#include "support/json.hpp"

#include <cstdint>
#include <optional>

namespace kernelloop {

// Nothing where the provider did not say.
struct Usage {
  std::optional<std::int64_t> input;  // the whole prompt, cached parts included
  std::optional<std::int64_t> output;
  std::optional<std::int64_t> cached_input = {};      // of the input: read from a cache
  std::optional<std::int64_t> cache_written = {};     // of the input: written to a cache
  std::optional<std::int64_t> cache_written_1h = {};  // of those: kept for an hour, not minutes
  std::optional<std::int64_t> reasoning = {};         // of the output
  std::optional<double> reported_usd = {};            // what the server says it cost
};

// A count of tokens in what a server or program sent: nothing when absent or no sane count (below
// 0, over 1e12), since a budget must not be won back by a server that counts backwards.
std::optional<std::int64_t> token_count(const Json& json, const char* name);
// The same for what a request cost, in USD: nothing when absent, below 0 or over a million.
std::optional<double> reported_cost(const Json& json, const char* name);

// {input, output, cached_input}, null where unknown; the rest only where it is known.
Json to_json(const Usage& usage);
// What is missing or odd reads as unknown.
Usage usage_from_json(const Json& json);

}  // namespace kernelloop
