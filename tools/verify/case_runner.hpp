// Runs one case: draws inputs, runs the candidate, calls the reference, judges.
#pragma once

#include "verify/compiled_version.hpp"
#include "verify/executor.hpp"
#include "verify/reference_library.hpp"
#include "verify/rung.hpp"
#include "verify/verdict.hpp"

#include <chrono>

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
  [[nodiscard]] CaseVerdict run(const CasePlan& plan) const;

 private:
  const OpSpec& spec_;
  const CompiledVersion& version_;
  const ReferenceLibrary& reference_;
  Executor& executor_;
  std::chrono::milliseconds timeout_;
};

}  // namespace kernelloop
