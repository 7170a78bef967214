#include "compile/adapter_build.hpp"

#include "compile/assemble.hpp"
#include "compile/nvcc.hpp"
#include "compile/source_text.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include "languages/adapter.hpp"

namespace kernelloop {
namespace {

std::filesystem::path assembler_of(const CompileRequest& request, const Toolchain& toolchain,
                                   const std::string& architecture) {
  if (auto own = toolchain.ptxas_for(architecture); !own.empty()) return own;
  if (!request.nvcc.empty()) return request.nvcc.parent_path() / "ptxas";
  fail(ExitCode::environment,
       "there is no ptxas to assemble {} with; install the CUDA toolkit or set KERNELLOOP_NVCC",
       request.source.string());
}

// One plan launches the cubins of all architectures, for each of which the compiler chooses anew.
// Shared memory becomes what the greediest of them takes; false when they differ in more.
bool join(LaunchPlan& plan, LaunchPlan other) {
  if (plan.launches.size() != other.launches.size()) return false;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    Expression& mine = plan.launches[i].dynamic_shared_bytes;
    Expression& theirs = other.launches[i].dynamic_shared_bytes;
    // Numbers, as a compiler writes them.
    if (mine.evaluate({}) < theirs.evaluate({})) mine = theirs;
    theirs = mine;
  }
  return plan_to_json(plan) == plan_to_json(other);
}

class Builder {
 public:
  Builder(const CompileRequest& request, const LaunchPlan& plan, const SourceText& source)
      : request_(request),
        plan_(plan),
        source_(source),
        title_(request.language->title),
        toolchain_(find_toolchain(*request.language)) {}

  void build(const std::string& architecture, const std::filesystem::path& work_dir) {
    const AdapterRun run = compile(architecture, work_dir);
    result_.cuda.accepted = false;
    explain(run);
    if (run.outcome != AdapterRun::Outcome::built) return;
    const AssembleRun assembled = assemble({assembler_of(request_, toolchain_, architecture),
                                            run.ptx, architecture, work_dir, request_.timeout});
    explain(assembled);
    result_.cuda.accepted = assembled.outcome == AssembleRun::Outcome::accepted;
    add_code({architecture, absolute_source(), run.ptx, assembled.cubin, assembled.messages},
             source_, false, result_.cuda);
    // What ptxas says tells more, where it says anything.
    if (!result_.cuda.accepted && !has_error(result_.cuda.problems)) {
      result_.cuda.problems.push_back(problem_at(Problem::Kind::diagnostic, result_.cuda.reason));
    }
    if (result_.plan) {
      if (!join(*result_.plan, run.plan)) refuse_plan(architecture);
    } else {
      result_.plan = run.plan;
      result_.compiler = toolchain_.text(*request_.language);
      result_.dumps = run.dumps;
    }
  }

  [[nodiscard]] AdapterBuild& result() { return result_; }

 private:
  [[nodiscard]] std::filesystem::path absolute_source() const {
    return std::filesystem::absolute(request_.source).lexically_normal();
  }

  AdapterRun compile(const std::string& architecture, const std::filesystem::path& work_dir) {
    std::filesystem::create_directories(work_dir);
    AdapterJob job;
    job.language = request_.language;
    job.toolchain = &toolchain_;
    job.spec = request_.spec;
    job.source = absolute_source();
    job.plan = plan_;
    job.architecture = architecture;
    job.work_dir = work_dir;
    job.timeout = request_.timeout;
    return run_adapter(job);
  }

  void refuse(Problem::Kind kind, std::string reason, const std::string& remedy) {
    result_.cuda.problems.push_back(problem_at(kind, reason + remedy));
    result_.cuda.reason = std::move(reason);
  }

  void refuse_plan(const std::string& architecture) {
    result_.cuda.accepted = false;
    refuse(Problem::Kind::plan,
           fmt::format("{} launches this source in one way on sm_{} and in another on sm_{}",
                       title_, normal_architecture(request_.architectures.front()), architecture),
           "; one plan serves all ARCHITECTURES: write what makes the difference out (options, "
           "scratch "
           "memory), or let the operator have one architecture");
  }

  void explain(const AdapterRun& run) {
    switch (run.outcome) {
      case AdapterRun::Outcome::built:
        return;
      case AdapterRun::Outcome::rejected:
        result_.cuda.reason = title_ + " rejects the source";
        for (const AdapterProblem& one : run.problems) {
          result_.cuda.problems.push_back(
              problem_at(Problem::Kind::diagnostic, one.message, one.line));
        }
        return;
      case AdapterRun::Outcome::crashed:
        return refuse(Problem::Kind::crash,
                      fmt::format("{} died of this source ({})", title_, run.crash),
                      "; write the newest or most unusual part differently");
      case AdapterRun::Outcome::timed_out:
        return refuse(Problem::Kind::timeout,
                      fmt::format("{} did not finish in {} of CPU time", title_,
                                  seconds_text(request_.timeout)),
                      ": the source does work without end while it is compiled. Make unrolled "
                      "loops and constants smaller");
    }
  }

  void explain(const AssembleRun& run) {
    switch (run.outcome) {
      case AssembleRun::Outcome::accepted:
        return;
      case AssembleRun::Outcome::rejected:
        result_.cuda.reason = "ptxas rejects what " + title_ + " made of the source";
        return;
      case AssembleRun::Outcome::crashed:
        return refuse(
            Problem::Kind::crash,
            fmt::format("ptxas died of what {} made of the source ({})", title_, run.crash),
            "; write the newest or most unusual part differently");
      case AssembleRun::Outcome::timed_out:
        return refuse(Problem::Kind::timeout,
                      "ptxas did not finish in " + seconds_text(request_.timeout) + " of CPU time",
                      "; make unrolled loops and tiles smaller");
    }
  }

  const CompileRequest& request_;
  const LaunchPlan& plan_;
  const SourceText& source_;
  std::string title_;
  Toolchain toolchain_;
  AdapterBuild result_;
};

}  // namespace

AdapterBuild build_with_adapter(const CompileRequest& request, const LaunchPlan& plan,
                                const SourceText& source, const std::filesystem::path& work_dir) {
  Builder builder(request, plan, source);
  for (const std::string& given : request.architectures) {
    const std::string architecture = normal_architecture(given);
    builder.build(architecture, work_dir / ("sm_" + architecture));
    if (!builder.result().cuda.accepted) break;
  }
  return std::move(builder.result());
}

}  // namespace kernelloop
