// What tokens cost: dated tables that ship (prices/*.json), and the user's own before them.
//
// An amount of money is a whole number of nano-dollars (1e-9 USD). A model that no row names costs
// an unknown amount, never 0.
#pragma once

#include "cost/usage.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// USD per million tokens.
struct Rates {
  double input = 0;
  double output = 0;
  double cache_read = 0;      // a table without it charges the price of input
  double cache_write = 0;     // the same
  double cache_write_1h = 0;  // a table without it charges cache_write
};

struct PriceRow {
  std::string model;  // matches itself and its dated snapshots (name-20260901); "*": every model
  std::string from;   // first and last day, "2026-09-01"; empty: no limit
  std::string to;
  Rates rates;
  std::optional<std::int64_t> above_input;  // a longer prompt has the whole request cost `above`
  Rates above;
  std::string source;  // "prices/openai.json of 2026-11-01"
};

struct Charge {
  std::int64_t nano_usd = 0;
  std::string source;  // the row's, or "the server"
};

class Prices {
 public:
  // `own` is the user's file, read before the tables that ship; empty: none. Throws
  // Error(bad_input) with the line where a table is wrong.
  explicit Prices(const std::filesystem::path& own = {});

  // What a request cost; nothing when the model or the tokens are unknown. What the server itself
  // reports goes before the table. `day` is "2026-11-29".
  [[nodiscard]] std::optional<Charge> cost_of(const std::string& model, const Usage& usage,
                                              const std::string& day) const;

  // The most that so many tokens can cost.
  [[nodiscard]] std::optional<std::int64_t> at_most(const std::string& model,
                                                    std::int64_t input_tokens,
                                                    std::int64_t output_tokens,
                                                    const std::string& day) const;

 private:
  [[nodiscard]] const PriceRow* find(const std::string& model, const std::string& day) const;

  std::vector<PriceRow> rows_;
};

// "0.0123 USD", with as many digits as the amount needs; "0.00 USD".
std::string money_text(std::int64_t nano_usd);

}  // namespace kernelloop
