#include "compile/cpu_artifact.hpp"

#include "compile/front_end_messages.hpp"
#include "compile/source_text.hpp"
#include "compile/text.hpp"
#include "cpu/cpu_build.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kernelloop {
namespace {

// The first error among the host compiler's messages, in one line.
std::string first_error(const std::vector<Problem>& problems, const CpuBuildResult& built) {
  for (const Problem& problem : problems) {
    if (problem.severity != Problem::Severity::error) continue;
    return problem.line == 0 ? problem.message
                             : fmt::format("line {}: {}", problem.line, problem.message);
  }
  const std::string_view text = trimmed(built.diagnostics);
  return text.empty() ? built.reason
                      : fmt::format("{}: {}", built.reason, text.substr(0, text.find('\n')));
}

// Warnings of the host compiler concern the emulation, not the version.
void keep_errors(std::vector<Problem>& problems) {
  problems.erase(std::remove_if(problems.begin(), problems.end(),
                                [](const Problem& problem) {
                                  return problem.severity == Problem::Severity::warning;
                                }),
                 problems.end());
}

// The values of an option of nvcc that is spelled in one of these ways, with the value as the next
// word, behind a long spelling and "=", or right behind a short one.
std::vector<std::string> values_of(const std::vector<std::string>& options,
                                   const std::vector<std::string_view>& spellings) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string_view spelling : spellings) {
      std::string_view option = options[i];
      if (!take_prefix(option, spelling)) continue;
      const bool is_long = spelling.size() > 2;
      if (option.empty()) {
        if (i + 1 < options.size()) result.push_back(options[++i]);
      } else if (!is_long || option.front() == '=') {
        result.emplace_back(option.substr(is_long ? 1 : 0));
      } else {
        continue;
      }
      break;
    }
  }
  return result;
}

// Whatever nvcc says: a version that keeps state or calls the host must not run.
void refuse(const CpuBuildResult& built, CpuArtifact& artifact) {
  artifact.status = CpuArtifact::Status::failed;
  artifact.reason = built.reason;
  for (const BrokenRule& rule : built.broken_rules) {
    Problem problem;
    problem.kind = Problem::Kind::policy;
    problem.message = rule.message;
    problem.line = rule.line;
    artifact.problems.push_back(std::move(problem));
  }
}

void explain_failure(const CpuBuildResult& built, bool accepted_by_nvcc,
                     const CompileRequest& request, const SourceText& source,
                     CpuArtifact& artifact) {
  std::vector<Problem> problems = front_end_problems(built.diagnostics, request.source, source);
  keep_errors(problems);
  const std::string error = first_error(problems, built);
  if (accepted_by_nvcc) {
    artifact.status = CpuArtifact::Status::not_runnable;
    artifact.reason = fmt::format(
        "nvcc accepts the source, but the CPU device cannot build it, so it lacks something here: "
        "{}",
        error);
    return;
  }
  artifact.status = CpuArtifact::Status::failed;
  artifact.reason = "the host compiler rejects the source";
  if (problems.empty()) {
    Problem problem;
    problem.message = error;
    problems.push_back(std::move(problem));
  }
  artifact.problems = std::move(problems);
}

}  // namespace

CpuArtifact build_cpu_artifact(const CompileRequest& request, bool accepted_by_nvcc,
                               const SourceText& source, const std::filesystem::path& work_dir) {
  CpuArtifact artifact;
  if (!request.for_cpu) {
    artifact.reason = "only the cpu device needs it";
    return artifact;
  }
  if (!request.nvcc.empty() && !accepted_by_nvcc) {
    artifact.reason = "not tried: nvcc rejects the source";
    return artifact;
  }
  CpuBuildRequest build;
  build.source = request.source;
  build.output = work_dir / "kernel.cpu.so";
  build.include_dir = request.cpu_include_dir;
  build.compiler = request.host_compiler;
  build.defines = values_of(request.options, {"-D", "--define-macro"});
  build.include_dirs =
      values_of(request.options, {"-I", "--include-path", "-isystem", "--system-include"});
  build.sanitize = request.sanitize_cpu;
  // It counts time on the wall, which a crowded machine stretches.
  build.timeout = 5 * request.timeout;
  CpuBuildResult built = build_for_cpu(build);
  switch (built.status) {
    case CpuBuildResult::Status::built:
      artifact.status = CpuArtifact::Status::built;
      artifact.library = build.output;
      artifact.kernels = std::move(built.kernels);
      break;
    case CpuBuildResult::Status::not_runnable:
      artifact.status = CpuArtifact::Status::not_runnable;
      artifact.reason = built.reason;
      break;
    case CpuBuildResult::Status::failed:
      if (!built.broken_rules.empty()) {
        refuse(built, artifact);
        break;
      }
      explain_failure(built, accepted_by_nvcc, request, source, artifact);
      break;
  }
  return artifact;
}

std::string host_compiler_version(const CompileRequest& request) {
  Command command;
  command.arguments = {request.host_compiler.string(), "--version"};
  command.variables = {{"LC_ALL", "C"}};
  command.timeout = std::chrono::seconds(30);
  const ProcessResult result = run(command);
  std::string line(trimmed(result.output.substr(0, result.output.find('\n'))));
  if (!result.succeeded() || line.empty()) {
    fail(ExitCode::environment,
         "{} --version does not answer as a compiler does ({}); set CMAKE_CXX_COMPILER",
         request.host_compiler.string(), result.describe());
  }
  return line;
}

}  // namespace kernelloop
