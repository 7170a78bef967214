#include "support/error.hpp"

#include "counters/cupti.hpp"

namespace kernelloop {
namespace {

[[noreturn]] void refuse() {
  fail(ExitCode::environment,
       "this program was built without CUPTI's headers, so it can read no counters; build it where "
       "the CUDA toolkit with CUPTI is installed");
}

}  // namespace

class CuptiLibrary {};

std::shared_ptr<const CuptiLibrary> load_cupti() { refuse(); }

CounterPlan plan_counters(const CuptiLibrary&, const std::string&, const std::vector<std::string>&,
                          const std::vector<std::uint8_t>&) {
  refuse();
}

std::vector<std::string> known_chips(const CuptiLibrary&) { refuse(); }

}  // namespace kernelloop
