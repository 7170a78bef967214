#include "bench/rules.hpp"

#include "support/error.hpp"

namespace kernelloop {

void require_measurement_rules(int rules) {
  if (rules != k_measurement_rules) {
    fail(ExitCode::usage,
         "--rules {} is not the number of this program's measurement rules ({}): configure the "
         "project again with CMake, so that build and tools agree",
         rules, k_measurement_rules);
  }
}

}  // namespace kernelloop
