// The source of a version with a mark around each kernel, for its traced build.
#pragma once

#include <string>

namespace kernelloop {

class SourceText;

// Puts KERNELLOOP_TRACE_KERNEL behind the opening brace of every __global__ function, on the same
// line. Kernels that a macro defines stay as they are: their traces begin and end with their marks.
std::string traced_source(const SourceText& source);

}  // namespace kernelloop
