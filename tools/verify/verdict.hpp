// What verification says about a version: the body of verify.json, as values.
#pragma once

#include "spec/expression.hpp"
#include "support/json.hpp"
#include "verify/gates.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

enum class Verdict { passed, failed, not_runnable, skipped };
const char* name_of(Verdict verdict);

struct OutputVerdict {
  std::string name;
  bool passed = false;
  Metrics metrics;
  std::vector<Gate> gates;
  std::vector<std::int64_t> worst;  // index
  double got = 0.0;
  double expected = 0.0;
  std::string pattern;  // failed only: where the error sits, in words
};

// What went wrong other than a wrong number: the name of a FaultKind, or "plan", "changed_input",
// "not_deterministic".
struct CaseFault {
  std::string kind;
  std::string message;
};

// Where the wall time of a case went, in seconds.
struct VerificationCost {
  double draw = 0.0;       // drawing the inputs
  double reference = 0.0;  // the double reference, and the scale of its outputs
  double candidate = 0.0;  // its runs with upload, poisoning and download
  double judge = 0.0;      // comparing and hashing outputs

  void add(const VerificationCost& other);
};
Json to_json(const VerificationCost& cost);

// What watched over memory while a case ran.
struct MemoryWatch {
  std::vector<std::string> placements;  // in force, each once; empty: nothing ran
  std::string inputs;                   // "read_only" where a store to one faults, else "hash"
  std::string tool;                     // "compute-sanitizer 2025.3.1.0 memcheck", or empty
};

struct CaseVerdict {
  std::string name;
  Bindings axes;  // the variable ones
  std::uint64_t seed = 0;
  std::string family;   // of its inputs; empty: the spec's own values
  bool hidden = false;  // tells nothing about its shape or data
  Verdict status = Verdict::passed;
  std::optional<CaseFault> fault;
  std::string note;  // what is worth knowing about a case that passed; why one was skipped
  MemoryWatch memory;
  std::vector<OutputVerdict> outputs;
  VerificationCost cost;
};

struct RungVerdict {
  std::string name;
  Verdict status = Verdict::passed;
  std::string reason;  // unless passed
  std::vector<CaseVerdict> cases;
  std::vector<std::string> notes;  // what is no fault, and worth knowing
};

VerificationCost cost_of(const RungVerdict& rung);

// One member of "rungs" (docs/formats.md). Numbers that are not finite become null, except in
// "worst", where they are "nan", "inf" and "-inf".
Json to_json(const RungVerdict& rung);

// A case that has not passed in one line, without its name: "y: normwise 0.31 > 0.0090; only
// columns ...".
std::string failure_text(const CaseVerdict& verdict);

}  // namespace kernelloop
