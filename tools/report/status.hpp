// Where the loop of an operator stands, as far as the files say.
#pragma once

#include "config/op_config.hpp"
#include "support/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// What is next, or under way.
enum class LoopState {
  asking,   // a proposal is being made right now (its lock is held)
  waiting,  // for a person or agent to write a version
  propose,  // these five: the step that comes next, or that a build is at
  compile,
  verify,
  bench,
  learn,
  stopped,   // the loop ended itself
  finished,  // every version that VERSIONS allows was tried
};
const char* name_of(LoopState state);

struct OpStatus {
  std::string op;
  std::string device_kind;  // "cuda" | "cpu"
  std::string device_name;  // "" until something was verified
  int versions = 0;         // that exist
  int most_versions = 0;    // VERSIONS
  int verified = 0;
  LoopState state = LoopState::propose;
  std::string version;  // which the state is about; "" when stopped or finished
  std::string detail;   // "turn 2", the file to write, why it stopped
  std::string best;     // fastest verified version; "" none
  std::optional<double> best_us;
  std::optional<double> best_sol;  // none on the CPU device
  std::string adopted;             // "v003", "v003, v005" for several architectures; "" none
  // From the ledger: every request, also of versions that came to nothing. Where it has none (the
  // versions were made elsewhere), what the history says.
  std::int64_t tokens = 0;
  std::optional<double> cost_usd;  // none: of some request unknown

  [[nodiscard]] bool is_over() const {
    return state == LoopState::stopped || state == LoopState::finished;
  }
};

// Throws Error(bad_input) when a file of the loop is broken.
OpStatus status_of(const OpConfig& config);

Json to_json(const OpStatus& status);

// One line per operator, under a heading.
std::string status_table(const std::vector<OpStatus>& all);

// "v003 verify", "v004 asking (turn 2)", "stopped: plateau ...".
std::string state_text(const OpStatus& status);
// "12.3 µs, 81 % SOL", "1.2 ms wall, CPU device"; "-" without a best.
std::string best_text(const OpStatus& status);
// "$0.42", "120k tokens, cost unknown", "-" when nothing was spent.
std::string cost_text(const OpStatus& status);

}  // namespace kernelloop
