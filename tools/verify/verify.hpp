// Climbs the test ladder with one version and writes down what happened.
#pragma once

#include "support/json.hpp"
#include "verify/compiled_version.hpp"
#include "verify/executor.hpp"
#include "verify/verdict.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kernelloop {

// Throws Error(usage) unless these are the verification rules of this program.
void check_rules(int rules);

struct VerifyOptions {
  std::filesystem::path contract;   // contract.json: its hash goes into the verdict
  std::filesystem::path checks;     // checks.json
  std::filesystem::path compiled;   // compile.json
  std::filesystem::path reference;  // the reference library
  std::string device;               // "cuda" | "cpu"
  int rules = 0;                    // must be k_verification_rules
  std::string only_rung;            // empty: the whole ladder
  std::string up_to_rung;           // empty: to the top
  bool keep_going = false;          // climb on after a rung that failed
  bool sanitizer = false;           // climb the rung "sanitizer" too, after all others
  std::optional<std::uint64_t> seed;
  std::chrono::milliseconds launch_timeout{60000};
  std::chrono::milliseconds reference_timeout{120000};
};

struct VerifyResult {
  Json json;  // verify.json
  Verdict status = Verdict::skipped;
  bool compiled = false;  // false: there was nothing to verify
  std::string summary;    // one line
  std::string details;    // the first failing case in a few lines; empty when all passed
};

using ExecutorFactory = std::function<std::unique_ptr<Executor>(const CompiledVersion&)>;

// Throws Error(usage) for rules that are not ours or a rung that does not exist, Error(bad_input)
// for broken files or a broken reference, Error(environment) without the device. `make_executor`
// is asked only when something is to be run.
VerifyResult run_verify(const VerifyOptions& options, const ExecutorFactory& make_executor);

// The factory that runs candidates in a device worker.
ExecutorFactory worker_executors(const std::string& device, Company company);

}  // namespace kernelloop
