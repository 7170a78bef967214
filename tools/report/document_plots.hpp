// The plots of a report.
#pragma once

#include "report/plot.hpp"
#include "report/report.hpp"

namespace kernelloop {

// The time of each version as a bar, of each baseline as a line. Empty when nothing was timed.
Plot time_plot(const Report& report);

// Operations a second over operations a byte, with the roofs of memory and of the op's classes of
// arithmetic; of an op that computes nothing, bytes a second over bytes. Empty when no workload
// knows its bytes, or on the CPU device, which has no roofs.
Plot roofline_plot(const Report& report);

}  // namespace kernelloop
