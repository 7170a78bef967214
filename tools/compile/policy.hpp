// The rules a version keeps besides compiling: it is one file of device code, launched by its plan.
#pragma once

#include "compile/problem.hpp"

#include <filesystem>
#include <vector>

namespace kernelloop {

class PtxModule;
class SourceText;

struct SourcePolicy {
  std::vector<Problem> problems;
  // Whether the source reads files outside the version. It must not be given to a compiler then:
  // the messages of one could show the content of any file.
  bool reads_foreign_files = false;
};

// Includes from outside, host code, launches. `version_dir` is the directory of the source.
SourcePolicy check_source_policy(const SourceText& source,
                                 const std::filesystem::path& version_dir);

// What the compiled code needs at run time. Nothing but __assertfail may be left to the driver's
// device runtime: a failed assert ends the kernel with a message and costs nothing otherwise, while
// printf and malloc need buffers of the process that measures.
std::vector<Problem> check_ptx_policy(const PtxModule& ptx, const SourceText& source);

}  // namespace kernelloop
