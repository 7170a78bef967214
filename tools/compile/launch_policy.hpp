// Rules that keep every launch a function of its inputs: a kernel that remembers, or that can tell
// one launch from another, can do the work while it is checked and leave it out while it is timed.
#pragma once

#include "compile/instructions.hpp"
#include "compile/problem.hpp"
#include "compile/ptx.hpp"
#include "compile/ptx_code.hpp"
#include "plan/launch_plan.hpp"

#include <vector>

namespace kernelloop {

class SourceText;

// Statements that cannot be read, __device__ variables that are written, and reads of clocks and
// launch counters. The waits of the toolkit's own barriers read a clock to back off; they are no
// reading of one by the version, nor are the marks of trace.cuh in a traced build.
std::vector<Problem> check_launch_independence(const PtxModule& ptx, const PtxCode& code,
                                               const Instructions& instructions,
                                               const SourceText& source, bool traced = false);

// griddepcontrol.launch_dependents where no launch of the plan may start early.
std::vector<Problem> check_dependent_launch(const LaunchPlan& plan,
                                            const Instructions& instructions);

}  // namespace kernelloop
