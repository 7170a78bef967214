#include "compile/findings.hpp"

#include "compile/adapter_build.hpp"
#include "compile/kernel_names.hpp"
#include "compile/launch_policy.hpp"
#include "compile/policy.hpp"
#include "compile/source_text.hpp"

#include <fmt/format.h>

#include "languages/language.hpp"

#include <utility>

namespace kernelloop {
namespace {

std::vector<Problem> as_problems(const std::vector<PlanProblem>& plan_problems) {
  std::vector<Problem> result;
  for (const PlanProblem& one : plan_problems) {
    Problem problem;
    problem.kind = Problem::Kind::plan;
    problem.message = one.message;
    problem.line = one.line;
    result.push_back(std::move(problem));
  }
  return result;
}

KernelTable table_of(const CudaBuild& cuda) {
  KernelTable table;
  for (const PtxKernel& kernel : cuda.module->kernels()) {
    table.push_back(kernel.info);
    for (const FunctionResources& resources : cuda.resources) {
      if (resources.name == kernel.info.name) {
        table.back().static_shared_bytes = resources.static_shared_bytes;
      }
    }
  }
  return table;
}

// No message may show where the work was done or where the version stands.
void hide_paths(std::vector<Problem>& problems, const std::vector<std::filesystem::path>& places) {
  for (Problem& problem : problems) {
    for (const std::filesystem::path& place : places) {
      if (place.empty()) continue;
      const std::string text = place.string() + "/";
      for (std::size_t at = problem.message.find(text); at != std::string::npos;
           at = problem.message.find(text)) {
        problem.message.erase(at, text.size());
      }
    }
  }
}

void check_kernels(const CompileRequest& request, Findings& findings) {
  const auto line_of = [&](const std::string& name) -> std::size_t {
    if (!findings.cuda.module) return 0;
    const PtxKernel* kernel = findings.cuda.module->find(name);
    return kernel == nullptr ? 0 : kernel->line;
  };
  NamedKernels named =
      name_kernels(findings.kernels, findings.plan ? &*findings.plan : nullptr, line_of);
  findings.problems.add_all(std::move(named.problems));
  if (findings.plan) {
    findings.problems.add_all(as_problems(check_plan(*findings.plan, *request.spec, named.table)));
    for (const auto& [architecture, instructions] : findings.cuda.instructions) {
      findings.problems.add_all(check_dependent_launch(*findings.plan, instructions));
    }
  }
}

// A launch that may start before the one before it has ended must wait for it somewhere.
void check_waits(const SourceText& source, Findings& findings) {
  constexpr const char* k_wait = "cudaGridDependencySynchronize";
  if (!findings.plan) return;
  for (const Launch& launch : findings.plan->launches) {
    if (!launch.programmatic_dependent) continue;
    const PtxKernel* kernel =
        findings.cuda.module ? findings.cuda.module->find(launch.kernel) : nullptr;
    const bool waits = kernel != nullptr ? kernel->waits : source.find_word(k_wait).has_value();
    if (waits) continue;
    Problem problem;
    problem.kind = Problem::Kind::plan;
    problem.message = fmt::format(
        "launch of `{}`: it may start before the launch before it has ended, and never waits for "
        "it; call {}() before it reads or writes memory, or remove programmatic_dependent_launch",
        launch.kernel, k_wait);
    problem.line = launch.line;
    findings.problems.add(std::move(problem));
  }
}

// Far more than a kernel takes. Prompts, reports and comparisons hold sources, and a compiler would
// work on a larger one until its time is up.
constexpr std::size_t k_most_source_bytes = std::size_t{1} << 20;

// A source in another language than CUDA C++. What it may do while it is compiled is up to the
// sandbox; what it may make is judged by the PTX.
Findings examine_other(const CompileRequest& request, const SourceText& source,
                       const std::filesystem::path& work_dir) {
  Findings findings;
  const Language& language = *request.language;
  PlanResult planned =
      extract_plan(source.text(), request.source, *request.spec, PlanForm::compiled);
  std::vector<Problem> plan_problems = as_problems(planned.problems);
  hide_paths(plan_problems, {request.source.parent_path()});
  findings.problems.add_all(std::move(plan_problems));
  if (planned.plan) findings.configurations = planned.plan->configurations;
  findings.compilers_ran = true;
  findings.cpu.status = CpuArtifact::Status::not_runnable;
  findings.cpu.reason = fmt::format("{} versions run on a GPU only", language.title);
  if (!planned.plan) {
    findings.cuda.reason = "not tried: the launch plan is wrong";
    return findings;
  }
  AdapterBuild built = build_with_adapter(request, *planned.plan, source, work_dir);
  findings.cuda = std::move(built.cuda);
  findings.plan = std::move(built.plan);
  findings.compiler = std::move(built.compiler);
  findings.dumps = std::move(built.dumps);
  hide_paths(findings.cuda.problems,
             {work_dir, std::filesystem::absolute(request.source).lexically_normal().parent_path(),
              request.source.parent_path()});
  findings.problems.add_all(std::move(findings.cuda.problems));
  if (findings.cuda.accepted) {
    findings.kernels = table_of(findings.cuda);
    check_kernels(request, findings);
  }
  check_waits(source, findings);
  return findings;
}

}  // namespace

Findings examine(const CompileRequest& request, const SourceText& source,
                 const std::filesystem::path& work_dir) {
  if (source.text().size() > k_most_source_bytes) {
    Findings findings;
    findings.problems.add_all({broken_rule(fmt::format("the source has {} bytes; {} are the most",
                                                       source.text().size(), k_most_source_bytes),
                                           0)});
    return findings;
  }
  if (request.uses_adapter()) return examine_other(request, source, work_dir);
  Findings findings;
  SourcePolicy policy = check_source_policy(source, request.source.parent_path());
  findings.problems.add_all(std::move(policy.problems));
  PlanResult planned = extract_plan(source.text(), request.source, *request.spec);
  std::vector<Problem> plan_problems = as_problems(planned.problems);
  hide_paths(plan_problems, {request.source.parent_path()});
  findings.problems.add_all(std::move(plan_problems));
  findings.plan = std::move(planned.plan);
  if (policy.reads_foreign_files) return findings;

  findings.compilers_ran = true;
  if (!request.nvcc.empty()) {
    findings.cuda = build_for_cuda(request, source, findings.plan, work_dir);
    hide_paths(
        findings.cuda.problems,
        {work_dir, std::filesystem::absolute(request.source).lexically_normal().parent_path(),
         request.source.parent_path()});
    findings.problems.add_all(std::move(findings.cuda.problems));
  }
  findings.cpu = build_cpu_artifact(request, findings.cuda.accepted, source, work_dir);
  hide_paths(findings.cpu.problems, {work_dir, request.source.parent_path()});
  findings.problems.add_all(std::move(findings.cpu.problems));

  if (findings.cuda.accepted) {
    findings.kernels = table_of(findings.cuda);
    check_kernels(request, findings);
  } else if (findings.cpu.status == CpuArtifact::Status::built && request.nvcc.empty()) {
    findings.kernels = findings.cpu.kernels;
    check_kernels(request, findings);
  }
  check_waits(source, findings);
  return findings;
}

}  // namespace kernelloop
