// The CUDA artefacts of a version in another language than CUDA C++: its adapter makes PTX, and the
// assembler a cubin of that very text, so that what is judged is what runs.
#pragma once

#include "compile/cuda_build.hpp"
#include "plan/launch_plan.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

struct AdapterBuild {
  CudaBuild cuda;
  std::optional<LaunchPlan> plan;            // PlanForm::cuda; when it is accepted
  std::string compiler;                      // "Triton (triton 3.6.0)"
  std::vector<std::filesystem::path> dumps;  // of the first architecture
};

// Throws Error(environment) when the language's toolchain is missing or fails for a reason of its
// own.
AdapterBuild build_with_adapter(const CompileRequest& request, const LaunchPlan& plan,
                                const SourceText& source, const std::filesystem::path& work_dir);

}  // namespace kernelloop
