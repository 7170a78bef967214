// The test of the test ladder: for each output of an op, wrong results must fail some rung, and the
// reference's own result, rounded, must pass every rung. No candidate and no device is needed.
#pragma once

#include "support/json.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct OracleOptions {
  std::filesystem::path spec;       // op.json
  std::filesystem::path reference;  // the reference library
  int rules = 0;                    // must be k_verification_rules
  std::chrono::milliseconds reference_timeout{120000};
};

// What became of one mutant.
struct OracleFinding {
  enum class Status { caught, passed, inapplicable };
  std::string mutant;  // "zeros"
  std::string output;
  std::string what;  // in words
  Status status = Status::caught;
  std::string rung;    // caught: by which
  std::string reason;  // caught: what was measured; passed: what to strengthen; inapplicable: why
};

struct OracleResult {
  bool passed = false;
  std::string honest;  // why the honest result does not pass; empty when it does
  std::vector<OracleFinding> findings;
  std::string summary;  // one line
  std::string table;    // one line per mutant
  Json json;            // oracle.json (docs/formats.md)
};

// Climbs the ladder of the CPU device with every mutant. Throws Error(usage) for rules that are not
// ours, Error(bad_input) for a broken spec or reference.
OracleResult run_oracle(const OracleOptions& options);

}  // namespace kernelloop
