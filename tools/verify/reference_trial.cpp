#include "verify/reference_trial.hpp"

#include "verify/case_queue.hpp"
#include "verify/rung.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace kernelloop {

std::size_t try_reference(const OpSpec& spec, const std::string& device,
                          const ReferenceLibrary& reference) {
  SeedSource seeds;
  const std::vector<CasePlan> cases = smoke_cases({spec, device, seeds, reference});
  CaseQueue queue(spec, reference, cases, false);
  std::unique_ptr<CaseData> data;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    data = queue.take(std::move(data));
    data->expected(reference);
  }
  return cases.size();
}

}  // namespace kernelloop
