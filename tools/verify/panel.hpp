// The panel of metrics from its sums, and what elements are measured by.
#pragma once

#include "verify/compare.hpp"
#include "verify/panel_sums.hpp"

namespace kernelloop {

Yardsticks yardsticks_of(DType dtype, const ErrorModel& model);

// Of `scale`, the greatest magnitude is used.
Metrics metrics_of(const PanelSums& sums, const ReferenceScale& scale);

}  // namespace kernelloop
