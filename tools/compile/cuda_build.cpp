#include "compile/cuda_build.hpp"

#include "compile/cubin.hpp"
#include "compile/front_end_messages.hpp"
#include "compile/launch_policy.hpp"
#include "compile/numbers.hpp"
#include "compile/nvcc.hpp"
#include "compile/policy.hpp"
#include "compile/source_text.hpp"
#include "compile/traced_source.hpp"
#include "support/files.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace kernelloop {
namespace {

template <typename T>
void append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// What the run says that is not in its messages.
void explain_outcome(const NvccRun& run, const CompileRequest& request, CudaBuild& build) {
  switch (run.outcome) {
    case NvccRun::Outcome::accepted:
      return;
    case NvccRun::Outcome::timed_out:
      build.reason = "nvcc did not finish in " + seconds_text(request.timeout) + " of CPU time";
      build.problems.push_back(problem_at(
          Problem::Kind::timeout,
          build.reason +
              ": the source makes it work without end. Look for template recursion, constexpr "
              "loops and very large unrolled loops, and make them smaller"));
      return;
    case NvccRun::Outcome::crashed:
      build.reason = "nvcc crashed on this source";
      build.problems.push_back(problem_at(
          Problem::Kind::crash,
          fmt::format("nvcc crashed while it compiled this source ({}); write the newest "
                      "or most unusual part differently",
                      run.crash)));
      return;
    case NvccRun::Outcome::rejected:
      build.reason = "nvcc rejects the source";
      return;
  }
}

// Compiles a copy with marks around the kernels, which reads what stands beside the source.
void trace_build(const SourceText& source, const std::optional<LaunchPlan>& plan, NvccJob& job) {
  job.include_dirs.push_back(job.source.parent_path());
  const std::filesystem::path copy = job.work_dir / "traced" / job.source.filename();
  write_file_atomic(copy, traced_source(source));
  job.source = copy;
  job.options.insert(job.options.end(), {"-DKERNELLOOP_TRACE", "-include", "kernelloop/trace.cuh"});
  if (plan && has_one_dimension(*plan)) job.options.emplace_back("-DKERNELLOOP_TRACE_FLAT=1");
}

void compile_one(const CompileRequest& request, const std::string& architecture,
                 const SourceText& source, const std::optional<LaunchPlan>& plan,
                 const std::filesystem::path& work_dir, CudaBuild& build) {
  NvccJob job;
  job.nvcc = request.nvcc;
  job.source = std::filesystem::absolute(request.source).lexically_normal();
  job.architecture = architecture;
  job.options = request.options;
  job.work_dir = work_dir;
  job.timeout = request.timeout;
  job.output_limit = request.output_limit;
  std::filesystem::create_directories(job.work_dir);
  if (!request.cpu_include_dir.empty()) {
    job.include_dirs.push_back(std::filesystem::absolute(request.cpu_include_dir));
  }
  if (request.traced) trace_build(source, plan, job);

  NvccRun run = run_nvcc(job);
  explain_outcome(run, request, build);
  append(build.problems, front_end_problems(run.messages, job.source, source));
  build.accepted = run.outcome == NvccRun::Outcome::accepted;
  add_code({architecture, job.source, run.ptx, build.accepted ? run.cubin : "", run.messages},
           source, request.traced, build);
  if (!build.accepted && !has_error(build.problems)) {
    build.problems.push_back(problem_at(
        Problem::Kind::diagnostic,
        fmt::format("nvcc rejects the source, but the first {} bytes of its messages hold no "
                    "error; remove what makes it print so much",
                    request.output_limit)));
  }
  append(build.dependencies, std::move(run.dependencies));
}

}  // namespace

void add_code(const CompiledCode& code, const SourceText& source, bool traced, CudaBuild& build) {
  const bool first = build.cubins.empty();
  PtxModule module(code.ptx.empty() ? std::string() : read_file(code.ptx), code.source);
  append(build.problems, ptxas_problems(code.messages, module));
  append(build.problems, check_ptx_policy(module, source));
  const PtxCode statements = read_ptx_code(module.lines());
  Instructions instructions = read_instructions(statements, module);
  append(build.problems,
         check_launch_independence(module, statements, instructions, source, traced));
  build.numbers.merge(numbers_in(statements));
  if (!code.cubin.empty()) {
    require_cubin(code.cubin);
    build.cubins.emplace_back(code.architecture, code.cubin);
    build.instructions.emplace_back(code.architecture, std::move(instructions));
  }
  if (!first) return;
  build.resources = function_resources(code.messages);
  append(build.problems, resource_warnings(build.resources, module));
  build.ptx = code.ptx;
  build.module = std::move(module);
}

CudaBuild build_for_cuda(const CompileRequest& request, const SourceText& source,
                         const std::optional<LaunchPlan>& plan,
                         const std::filesystem::path& work_dir) {
  CudaBuild build;
  for (const std::string& given : request.architectures) {
    const std::string architecture = normal_architecture(given);
    compile_one(request, architecture, source, plan, work_dir / ("sm_" + architecture), build);
    if (!build.accepted) break;
  }
  return build;
}

}  // namespace kernelloop
