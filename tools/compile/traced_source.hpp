// The source of a version with a mark around each kernel, for its traced build.
#pragma once

#include <string>

namespace kernelloop {

class SourceText;

// Puts KERNELLOOP_TRACE_KERNEL behind the opening brace of every __global__ function, on the same
// line, also in macros. A kernel whose head and body come from different macros stays as it is: it
// is not traced.
std::string traced_source(const SourceText& source);

}  // namespace kernelloop
