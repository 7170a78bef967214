#include "compile/compiler_trial.hpp"

#include "compile/cpu_artifact.hpp"
#include "compile/cuda_build.hpp"
#include "compile/problem.hpp"
#include "compile/source_text.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "languages/language.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

constexpr const char* k_kernel = "extern \"C\" __global__ void kernelloop_trial() {}\n";

// The first error; empty when there is none.
std::string first_error(std::vector<Problem> problems) {
  ProblemList list;
  list.add_all(std::move(problems));
  const Problem* error = list.first_error();
  return error == nullptr ? std::string() : error->message;
}

// With options of the user's own it is these that are wrong, most likely.
[[noreturn]] void refuse(const CompileRequest& request, const std::filesystem::path& compiler,
                         const std::string& message) {
  if (request.options.empty()) {
    fail(ExitCode::environment, "{} cannot compile even a kernel that does nothing: {}",
         compiler.string(), message);
  }
  fail(ExitCode::bad_input,
       "{} cannot compile even a kernel that does nothing: {}; correct COMPILE_OPTIONS of "
       "add_kernel_op, which are [{}]",
       compiler.string(), message, fmt::join(request.options, " "));
}

void try_nvcc(const CompileRequest& request, const SourceText& source,
              const std::filesystem::path& work_dir) {
  const CudaBuild build = build_for_cuda(request, source, std::nullopt, work_dir);
  const std::string error = first_error(build.problems);
  if (build.accepted && error.empty()) return;
  refuse(request, request.nvcc, error.empty() ? build.reason : error);
}

void try_host_compiler(const CompileRequest& request, const SourceText& source,
                       const std::filesystem::path& work_dir) {
  const CpuArtifact artifact = build_cpu_artifact(request, false, source, work_dir);
  if (artifact.status == CpuArtifact::Status::built) return;
  const std::string error = first_error(artifact.problems);
  refuse(request, request.host_compiler, error.empty() ? artifact.reason : error);
}

void try_language(CompileRequest request, const std::filesystem::path& work_dir) {
  const Language& language = *request.language;
  const OpSpec spec = parse_op_spec(parse_json(language.example_op, "example_op"));
  request.source = work_dir / language.source;
  request.output_dir = work_dir / "out";
  request.spec = &spec;
  write_file_atomic(request.source, language.example);
  const Json compiled = compile_version(request);
  if (compiled.at("status") == "compiled") return;
  fail(
      ExitCode::environment,
      "{} cannot compile even the example of what models are told of it: {}; see that it knows the "
      "ARCHITECTURES, {}, and install its toolchain anew (kernelloop toolchain install {})",
      language.title, compiled.at("reason").get<std::string>(),
      fmt::join(request.architectures, ", "), lower_case(language.name));
}

}  // namespace

void try_compilers(const CompileRequest& given) {
  const TemporaryDirectory work;
  CompileRequest request = given;
  request.traced = false;
  if (request.uses_adapter()) {
    try_language(request, work.path());
    return;
  }
  request.source = work.path() / "kernel.cu";
  write_file_atomic(request.source, k_kernel);
  const SourceText source(k_kernel);
  if (!request.nvcc.empty()) try_nvcc(request, source, work.path());
  if (!request.for_cpu) return;
  // By itself: what it lacks is then no question of what nvcc accepts.
  request.nvcc.clear();
  try_host_compiler(request, source, work.path());
}

}  // namespace kernelloop
