// What a compile finds out about a version, before anything is written.
#pragma once

#include "compile/compile.hpp"
#include "compile/cpu_artifact.hpp"
#include "compile/cuda_build.hpp"
#include "compile/problem.hpp"
#include "plan/launch_plan.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace kernelloop {

class SourceText;

struct Findings {
  ProblemList problems;
  std::optional<LaunchPlan> plan;
  std::size_t configurations = 1;  // that the source's plan lists (plan/configurations.hpp)
  CudaBuild cuda;
  CpuArtifact cpu;
  std::string compiler;  // of a language that is not CUDA C++: "Triton (triton 3.6.0)"
  std::vector<std::filesystem::path> dumps;  // its own stages, of the first architecture
  KernelTable kernels;                       // from the PTX, else from the CPU artefact
  bool compilers_ran = false;                // false: the source reads foreign files

  [[nodiscard]] bool compiled() const { return problems.errors() == 0; }
};

// Checks the rules and the plan, and compiles into `work_dir`. Throws as compile_version does.
Findings examine(const CompileRequest& request, const SourceText& source,
                 const std::filesystem::path& work_dir);

// Name of the cubin for the architecture at `index` in the output directory.
std::string cubin_name(const CudaBuild& cuda, std::size_t index);

// The body of compile.json, but for the source's hash and the toolchain.
Json findings_json(const CompileRequest& request, const SourceText& source,
                   const Findings& findings);

}  // namespace kernelloop
