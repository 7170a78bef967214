#include "compile/compile.hpp"

#include "compile/cpu_artifact.hpp"
#include "compile/cuda_build.hpp"
#include "compile/kernel_names.hpp"
#include "compile/nvcc.hpp"
#include "compile/policy.hpp"
#include "compile/source_text.hpp"
#include "plan/launch_plan.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kernelloop {
namespace {

// Everything that is found out about the version on the way.
struct Findings {
  ProblemList problems;
  std::optional<LaunchPlan> plan;
  CudaBuild cuda;
  CpuArtifact cpu;
  KernelTable kernels;
  bool compilers_ran = false;
};

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
  }
}

Findings examine(const CompileRequest& request, const SourceText& source,
                 const std::filesystem::path& work_dir) {
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
    findings.cuda = build_for_cuda(request, source, work_dir);
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
  return findings;
}

// ---- outputs ------------------------------------------------------------------------------------

std::string cubin_name(const CudaBuild& cuda, std::size_t index) {
  return index == 0 ? "kernel.cubin" : "kernel." + cuda.cubins[index].first + ".cubin";
}

bool is_artifact(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name == "kernel.ptx" || name == "kernel.cpu.so" ||
         (name.rfind("kernel.", 0) == 0 && file.extension() == ".cubin");
}

// Puts the files in place, those unchanged untouched, and removes what an earlier compile left.
void publish(const CompileRequest& request, const Findings& findings, bool keep) {
  std::vector<std::pair<std::string, std::filesystem::path>> files;
  if (keep) {
    for (std::size_t i = 0; i < findings.cuda.cubins.size(); ++i) {
      files.emplace_back(cubin_name(findings.cuda, i), findings.cuda.cubins[i].second);
    }
    if (!findings.cuda.ptx.empty()) files.emplace_back("kernel.ptx", findings.cuda.ptx);
    if (findings.cpu.status == CpuArtifact::Status::built) {
      files.emplace_back("kernel.cpu.so", findings.cpu.library);
    }
  }
  for (const auto& [name, from] : files) {
    write_file_if_changed(request.output_dir / name, read_file(from));
  }
  remove_artifacts(request.output_dir, [&](const std::string& name) {
    return std::none_of(files.begin(), files.end(),
                        [&](const auto& file) { return file.first == name; });
  });
}

Json cuda_json(const CompileRequest& request, const Findings& findings, bool keep) {
  Json json{{"status", "absent"},       {"reason", ""}, {"architecture", ""}, {"cubin", ""},
            {"cubins", Json::object()}, {"ptx", ""}};
  const CudaBuild& cuda = findings.cuda;
  if (request.nvcc.empty()) {
    json["reason"] = "there is no nvcc on this machine";
  } else if (!findings.compilers_ran) {
    json["reason"] = "not tried: the source reads files outside the version";
  } else if (!cuda.accepted) {
    json["status"] = "failed";
    json["reason"] = cuda.reason;
  } else if (!keep) {
    json["reason"] = "nvcc accepts the source, but the version has other problems";
  } else {
    json["status"] = "built";
    json["architecture"] = cuda.cubins.front().first;
    json["cubin"] = (request.output_dir / cubin_name(cuda, 0)).string();
    for (std::size_t i = 0; i < cuda.cubins.size(); ++i) {
      json["cubins"][cuda.cubins[i].first] = (request.output_dir / cubin_name(cuda, i)).string();
    }
    json["ptx"] = (request.output_dir / "kernel.ptx").string();
  }
  return json;
}

Json cpu_json(const CompileRequest& request, const Findings& findings, bool keep) {
  using Status = CpuArtifact::Status;
  const CpuArtifact& cpu = findings.cpu;
  Json json{{"status", "absent"}, {"reason", cpu.reason}, {"library", ""}};
  if (!findings.compilers_ran) {
    json["reason"] = "not tried: the source reads files outside the version";
  } else if (cpu.status == Status::failed) {
    json["status"] = "failed";
  } else if (cpu.status == Status::not_runnable) {
    json["status"] = "not_runnable";
  } else if (cpu.status == Status::built && !keep) {
    json["reason"] = "the host compiler accepts the source, but the version has other problems";
  } else if (cpu.status == Status::built) {
    json["status"] = "built";
    json["library"] = (request.output_dir / "kernel.cpu.so").string();
  }
  return json;
}

Json kernels_json(const Findings& findings) {
  Json list = Json::array();
  for (const KernelInfo& kernel : findings.kernels) {
    Json parameters = Json::array();
    for (const KernelParameter& parameter : kernel.parameters) {
      parameters.push_back({{"offset", parameter.offset}, {"size", parameter.size}});
    }
    Json json{{"name", kernel.name},
              {"signature", demangled(kernel.name)},
              {"parameters", std::move(parameters)},
              {"max_threads_per_block", kernel.max_threads_per_block},
              {"required_block", nullptr},
              {"static_shared_bytes", kernel.static_shared_bytes},
              {"registers", nullptr},
              {"barriers", nullptr},
              {"spill_store_bytes", nullptr},
              {"spill_load_bytes", nullptr},
              {"stack_bytes", nullptr},
              {"constant_bytes", nullptr}};
    if (kernel.required_block) json["required_block"] = *kernel.required_block;
    for (const FunctionResources& one : findings.cuda.resources) {
      if (one.name != kernel.name) continue;
      json["registers"] = one.registers;
      json["barriers"] = one.barriers;
      json["spill_store_bytes"] = one.spill_store_bytes;
      json["spill_load_bytes"] = one.spill_load_bytes;
      json["stack_bytes"] = one.stack_bytes;
      json["constant_bytes"] = one.constant_bytes;
    }
    list.push_back(std::move(json));
  }
  return list;
}

std::string reason_of(const Findings& findings) {
  if (const std::size_t errors = findings.problems.errors(); errors > 0) {
    const Problem& first = *findings.problems.first_error();
    const std::string where = first.line == 0 ? "" : fmt::format("line {}: ", first.line);
    return errors == 1 ? where + first.message
                       : fmt::format("{} errors; the first: {}{}", errors, where, first.message);
  }
  if (findings.cpu.status == CpuArtifact::Status::not_runnable) return findings.cpu.reason;
  return "";
}

void require_usable(const CompileRequest& request) {
  if (request.spec == nullptr) fail(ExitCode::internal, "compile_version needs the op's spec");
  if (request.nvcc.empty() && !request.for_cpu) {
    fail(ExitCode::environment,
         "there is no nvcc to compile {} with; install the CUDA toolkit or set "
         "CMAKE_CUDA_COMPILER, or use the cpu device",
         request.source.string());
  }
  if (!request.nvcc.empty() && request.architectures.empty()) {
    fail(ExitCode::bad_input, "no GPU architecture to compile {} for; set ARCHITECTURES",
         request.source.string());
  }
}

}  // namespace

void remove_artifacts(const std::filesystem::path& directory,
                      const std::function<bool(const std::string&)>& which) {
  std::error_code error;
  std::vector<std::filesystem::path> stale;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (is_artifact(entry.path()) && which(entry.path().filename().string())) {
      stale.push_back(entry.path());
    }
  }
  for (const std::filesystem::path& file : stale) {
    if (std::filesystem::remove(file, error); error) {
      fail(ExitCode::io, "cannot remove the old artefact {}: {}", file.string(), error.message());
    }
  }
}

Json compile_version(const CompileRequest& request) {
  require_usable(request);
  const SourceText source(read_file(request.source));
  const std::string source_hash = sha256(source.text());
  Json toolchain{{"nvcc", request.nvcc.empty() ? "" : nvcc_version(request.nvcc)},
                 {"host_compiler", request.for_cpu ? host_compiler_version(request) : ""}};

  const TemporaryDirectory work;
  const Findings findings = examine(request, source, work.path());
  if (sha256(read_file(request.source)) != source_hash) {
    fail(ExitCode::io, "{} changed while it was compiled; build again", request.source.string());
  }
  const bool compiled = findings.problems.errors() == 0;
  publish(request, findings, compiled);

  Json dependencies = Json::array();
  for (const std::filesystem::path& file : findings.cuda.dependencies) {
    dependencies.push_back(file.string());
  }
  return {{"status", compiled ? "compiled" : "failed"},
          {"reason", reason_of(findings)},
          {"source", request.source.string()},
          {"source_sha256", source_hash},
          {"dependencies", std::move(dependencies)},
          {"problems", findings.problems.to_json(source)},
          {"plan", findings.plan ? plan_to_json(*findings.plan) : Json()},
          {"kernels", kernels_json(findings)},
          {"artifacts",
           {{"cuda", cuda_json(request, findings, compiled)},
            {"cpu", cpu_json(request, findings, compiled)}}},
          {"toolchain", std::move(toolchain)}};
}

}  // namespace kernelloop
