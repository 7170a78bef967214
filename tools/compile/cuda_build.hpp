// The CUDA artefacts of a version, made in a working directory: cubins, PTX, what they cost.
#pragma once

#include "compile/compile.hpp"
#include "compile/instructions.hpp"
#include "compile/problem.hpp"
#include "compile/ptx.hpp"
#include "compile/ptxas_messages.hpp"
#include "plan/launch_plan.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kernelloop {

class SourceText;

struct CudaBuild {
  bool accepted = false;  // by nvcc, for every architecture
  std::string reason;     // when it is not
  std::vector<std::pair<std::string, std::filesystem::path>> cubins;  // by architecture, in order
  std::filesystem::path ptx;                                          // of the first architecture
  std::optional<PtxModule> module;                                    // that PTX, read
  std::vector<FunctionResources> resources;                           // for the first architecture
  std::vector<std::pair<std::string, Instructions>> instructions;     // by architecture, in order
  std::set<std::int64_t> numbers;  // of all architectures (numbers.hpp)
  std::vector<std::filesystem::path> dependencies;
  std::vector<Problem> problems;
};

// What compilers made for one architecture.
struct CompiledCode {
  std::string architecture;
  std::filesystem::path source;  // that the PTX's lines are of
  std::filesystem::path ptx;     // may be empty
  std::filesystem::path cubin;   // empty unless accepted
  std::string messages;          // the assembler's, and perhaps others' too
};

// Reads it into `build`: what breaks a rule, instructions, resources of the first architecture.
// Throws Error(environment) when the cubin is none.
void add_code(const CompiledCode& code, const SourceText& source, bool traced, CudaBuild& build);

// Runs nvcc for one architecture after the other, until one is rejected. A traced build looks at
// the plan, where there is one. Throws as run_nvcc does, and Error(environment) when nvcc's output
// is no cubin.
CudaBuild build_for_cuda(const CompileRequest& request, const SourceText& source,
                         const std::optional<LaunchPlan>& plan,
                         const std::filesystem::path& work_dir);

}  // namespace kernelloop
