// The CPU artefact of a version, and whose fault it is when there is none.
#pragma once

#include "compile/compile.hpp"
#include "compile/problem.hpp"
#include "plan/launch_plan.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

class SourceText;

struct CpuArtifact {
  enum class Status { absent, built, failed, not_runnable };
  Status status = Status::absent;
  std::string reason;             // unless built
  std::filesystem::path library;  // built: in the working directory
  KernelTable kernels;            // built
  std::vector<Problem> problems;  // failed
};

// Builds when the request asks for it and nvcc, if there is one, accepts the source. A source that
// nvcc accepts and the emulation cannot build is not runnable here; it is not wrong.
CpuArtifact build_cpu_artifact(const CompileRequest& request, bool accepted_by_nvcc,
                               const SourceText& source, const std::filesystem::path& work_dir);

// The first line of what the host compiler says of its version. Throws Error(environment).
std::string host_compiler_version(const CompileRequest& request);

}  // namespace kernelloop
