// What every request cost: <generated>/.ledger/ledger.jsonl, one JSON object a line, only ever
// appended to and synced, so that no kill loses what was spent. A request has two lines: `sent`
// before it goes out, with the most it can cost, and `done` after it, with what it did cost. One
// without the second line was cut off by a kill; it counts at its most.
#pragma once

#include "cost/budget.hpp"
#include "cost/usage.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

struct LedgerEntry {
  std::string id;    // of the request, unique in the ledger
  std::string time;  // when it was sent, UTC
  std::string run;   // see run_id.hpp
  std::string op;
  int version = 0;
  int turn = 0;
  std::string provider;
  std::string model;
  std::int64_t most_tokens = 0;               // input by estimate, and the longest output
  std::optional<std::int64_t> most_nano_usd;  // nothing: the price is unknown

  bool done = false;
  std::string outcome;  // "answered", or the kind of failure; "unknown" when never done
  Usage usage;
  bool charged = true;                   // false: nothing was processed, so nothing is owed
  std::optional<std::int64_t> nano_usd;  // nothing: unknown
  std::string price_source;

  // What counts against a budget.
  [[nodiscard]] std::int64_t counted_tokens() const;
  [[nodiscard]] std::optional<std::int64_t> counted_nano_usd() const;
};

// How a request ended.
struct LedgerOutcome {
  std::string outcome;
  Usage usage;
  bool charged = true;
  std::optional<std::int64_t> nano_usd;
  std::string price_source;
};

class Ledger {
 public:
  // Touches nothing yet.
  explicit Ledger(const std::filesystem::path& generated_dir);

  // Every request, in the order of sending. A last line that a kill cut short is ignored. Throws
  // Error(bad_input) for a line that is no line of a ledger.
  [[nodiscard]] std::vector<LedgerEntry> entries() const;

  // Books the request, unless `reason_against` the entries so far is not empty; returns that
  // reason. Requests of several processes come one after the other. Throws Error(io) when it cannot
  // be written: then nothing may be sent.
  std::string open(
      const LedgerEntry& entry,
      const std::function<std::string(const std::vector<LedgerEntry>&)>& reason_against);
  void close(const std::string& id, const LedgerOutcome& outcome);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void append(const Json& line) const;

  std::filesystem::path path_;
};

// The sum over those entries that `wanted` takes.
Spend sum(const std::vector<LedgerEntry>& entries,
          const std::function<bool(const LedgerEntry&)>& wanted);

}  // namespace kernelloop
