// What is known about all versions of an operator after a round, and what to do next: history.json.
#pragma once

#include "support/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// How one version ended.
enum class Outcome {
  verified,        // passed the ladder and was timed
  compile_failed,  // compiler, plan or policy said no
  wrong,           // failed a rung
  not_runnable,    // this device cannot run it: neither right nor wrong
  bench_failed,    // right, but its timing was refused (changing outputs, impossible time)
  duplicate,       // the source of an earlier version once more: neither compiled nor timed anew
  rejected,        // by the person who steers; never in history.json (steering.hpp)
};
const char* name_of(Outcome outcome);

// What limits a version, see bottleneck.hpp. `kind` names the template of the ask that follows from
// it, prompts/remedy_<kind>.md.
struct Bottleneck {
  std::string kind = "unknown";  // traffic, memory, latency, spills, launch, compute, unknown
  std::string what = "nothing that was measured says what limits it";  // one line
  std::vector<std::string> evidence;                                   // facts, one line each
};

struct VersionRecord {
  std::string version;  // "v004"
  int round = 0;
  std::string mode;    // "seed" | "fix" | "optimise" | "branch" | "tune"
  std::string parent;  // "" for a seed
  Outcome outcome = Outcome::wrong;
  std::string failure;                   // one line; empty when verified
  std::string change;                    // the proposal's own words; shown, never used
  std::optional<double> time_us;         // weighted geometric mean of the workloads' medians
  std::optional<double> sol;             // fraction of the roofline; none on the CPU device
  std::optional<Bottleneck> bottleneck;  // of a verified version
  std::int64_t configurations = 1;       // that its plan lists, see tuning.hpp
  std::string provider;
  std::string model;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t requests = 0;
  std::optional<double> cost_usd;  // none: unknown
};

// Another way to do the op, for comparison.
struct BaselineRecord {
  std::string name;
  std::optional<double> time_us;  // as a version's; none: it failed
  std::string failure;            // one line; empty when it was timed
};

// What the next round does.
struct Decision {
  enum class Action { seed, fix, optimise, branch, tune, stop };
  Action action = Action::seed;
  std::string parent;  // version to start from; "" for seed and stop
  std::string reason;  // one line for people
};
const char* name_of(Decision::Action action);

struct History {
  std::string op;
  int round = 0;
  std::string device_kind;  // "cuda" | "cpu"
  std::string device_name;
  std::vector<VersionRecord> versions;  // in version order
  std::vector<BaselineRecord> baselines;
  Decision decision;

  // The fastest verified version; null when there is none.
  [[nodiscard]] const VersionRecord* best() const;
  // The fastest baseline; null when none was timed.
  [[nodiscard]] const BaselineRecord* best_baseline() const;
  [[nodiscard]] const VersionRecord* find(const std::string& version) const;
};

Json to_json(const History& history);
// Throws Error(bad_input) on a file that is not a history.
History history_from_json(const JsonDocument& document);

}  // namespace kernelloop
