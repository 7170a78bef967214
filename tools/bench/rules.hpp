// The number of the measurement rules. Raise it when a time could come out differently for the same
// version: how samples are taken, flushed, counted, summed up or witnessed. CMake puts it on the
// command line of every bench step, so that raising it measures again.
#pragma once

namespace kernelloop {

inline constexpr int k_measurement_rules = 4;

// Throws Error(usage) when a command line was made for other rules.
void require_measurement_rules(int rules);

}  // namespace kernelloop
