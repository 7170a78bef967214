// Every request of a paying provider in the ledger, and none beyond the budget.
#pragma once

#include "propose/provider.hpp"

#include "cost/ledger.hpp"
#include "cost/prices.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace kernelloop {

// Whose money is spent, and how much of it may be; travels in the journal to the courier.
struct Account {
  std::filesystem::path generated_dir;  // where the ledger stands
  std::string run;                      // see run_id.hpp
  Budget op_budget;                     // all requests for the op, ever
  Budget run_budget;                    // all requests of this run, whatever the op
};

Json to_json(const Account& account);
// Throws Error(bad_input).
Account account_from_json(const JsonDocument& document, const std::string& pointer);

class Meter {
 public:
  // `own_prices` is the user's table; empty: none.
  Meter(Account account, std::string provider, const std::filesystem::path& own_prices);

  // Before a request goes out: books it at its most. Returns why it must not go; empty: it may.
  std::string open(const AskRequest& request, std::size_t prompt_bytes);

  // After it. `sent` is false when nothing reached the server.
  void close(const Reply& reply, bool sent);

  // Closes a request that another process opened and could not close; does nothing for one that is
  // closed or unknown.
  void close_lost(const std::string& id, const Reply& reply);

  [[nodiscard]] const std::string& id() const noexcept { return entry_.id; }  // of the last one

 private:
  [[nodiscard]] LedgerOutcome outcome_of(const Reply& reply, bool sent,
                                         const std::string& model) const;

  Account account_;
  std::string provider_;
  Prices prices_;
  Ledger ledger_;
  LedgerEntry entry_;
};

// How many tokens so much prompt is at most: code runs to three bytes a token.
std::int64_t estimated_tokens(std::size_t prompt_bytes);

}  // namespace kernelloop
