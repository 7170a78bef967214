// Runs one case: runs the candidate on its data and judges what comes out.
#pragma once

#include "verify/case_data.hpp"
#include "verify/compiled_version.hpp"
#include "verify/executor.hpp"
#include "verify/reference_library.hpp"
#include "verify/repeated_case.hpp"
#include "verify/rung.hpp"
#include "verify/verdict.hpp"

#include <chrono>
#include <future>

namespace kernelloop {

class CaseRunner {
 public:
  // All of them must outlive the runner. `timeout` is that of one run of the candidate.
  CaseRunner(const OpSpec& spec, const CompiledVersion& version, const ReferenceLibrary& reference,
             Executor& executor, std::chrono::milliseconds timeout)
      : spec_(spec),
        version_(version),
        reference_(reference),
        executor_(executor),
        timeout_(timeout) {}

  // What the candidate does wrong is in the verdict. Throws Error for what is not its fault.
  // `data` must have been made from `plan`.
  [[nodiscard]] CaseVerdict run(const CasePlan& plan, CaseData& data) const {
    return begin(plan, data).get();
  }
  // The same, but that what came out of a single run on a GPU is judged by another thread: the
  // device may run the next case meanwhile. `plan`, `data` and the runner must outlive the verdict.
  [[nodiscard]] std::future<CaseVerdict> begin(const CasePlan& plan, CaseData& data) const;

 private:
  struct Case;
  // The large case made of a small one; nothing when there is no room for it, which goes into the
  // verdict's note.
  RepeatedCase* repeat(const CasePlan& plan, CaseData& data, CaseVerdict& verdict) const;
  // Runs the candidate. Whether what the first run left has still to be judged, and nothing else.
  bool run(Case& one) const;

  const OpSpec& spec_;
  const CompiledVersion& version_;
  const ReferenceLibrary& reference_;
  Executor& executor_;
  std::chrono::milliseconds timeout_;
};

}  // namespace kernelloop
