// The runs of one case: asks the executor, and finds out more about what went wrong.
#pragma once

#include "verify/case_data.hpp"
#include "verify/executor.hpp"
#include "verify/output_snapshot.hpp"
#include "verify/repeated_case.hpp"
#include "verify/rung.hpp"
#include "verify/verdict.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

class CaseRuns {
 public:
  // All of them must outlive it. `repeated`: the large case made of `data`, or nullptr. Costs and
  // what watched over memory go into `verdict`.
  CaseRuns(const OpSpec& spec, CaseData& data, RepeatedCase* repeated, ResolvedPlan plan,
           Executor& executor, std::chrono::milliseconds timeout, CaseVerdict& verdict);

  // Runs the candidate. What it does wrong while running is returned: on a GPU with what another
  // placement and memcheck say about it, unless the case is hidden. Outputs of the digest `known`
  // may stay on the device; the arena then holds what it held.
  std::optional<CaseFault> run(const CaseRun& run,
                               std::optional<std::uint64_t> known = std::nullopt);

  // Runs it once under a tool. A fault is returned; where the tool says nothing, `unavailable`
  // becomes the reason.
  std::optional<CaseFault> check(SanitizerTool tool, std::string& unavailable);

  // `run` gave other bits than `first`, whose digest is given. Runs `first` once more to tell why.
  CaseFault explain_difference(const CaseRun& first, std::uint64_t digest_of_first,
                               const CaseRun& run);

  // Judges what the last run left.
  std::vector<OutputVerdict> judge(const ReferenceLibrary& reference, const Poison& poison);
  // Of the outputs of the last run: equal only for equal outputs. A GPU makes it itself, out of
  // reach of the candidate.
  [[nodiscard]] std::uint64_t digest() const;

 private:
  RunResult execute(const CaseRun& run);
  CaseFault explain(const Fault& fault, const CaseRun& run);
  void note_watch(const RunResult& result);
  void note_tool(const ToolResult& result, SanitizerTool tool);
  // The first element that is not as in `before`: "y[3, 17] (0.5, then 0.25)".
  [[nodiscard]] std::string first_difference(const OutputSnapshot& before) const;

  [[nodiscard]] const Bindings& axes() const;
  [[nodiscard]] const TensorArena& arena() const { return *request_.arena; }

  const OpSpec& spec_;
  CaseData& data_;
  RepeatedCase* repeated_;
  Executor& executor_;
  CaseVerdict& verdict_;
  RunRequest request_;
  std::optional<std::uint64_t> device_digest_;  // of the last run, where the device makes it
};

}  // namespace kernelloop
