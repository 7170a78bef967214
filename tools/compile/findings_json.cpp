#include "compile/findings.hpp"
#include "compile/numbers.hpp"
#include "compile/source_text.hpp"
#include "support/demangle.hpp"

#include <fmt/format.h>

#include "languages/language.hpp"

#include <utility>

namespace kernelloop {
namespace {

Json cuda_json(const CompileRequest& request, const Findings& findings) {
  Json json{{"status", "absent"},       {"reason", ""}, {"architecture", ""}, {"cubin", ""},
            {"cubins", Json::object()}, {"ptx", ""}};
  const CudaBuild& cuda = findings.cuda;
  if (request.nvcc.empty() && !request.uses_adapter()) {
    json["reason"] = "there is no nvcc on this machine";
  } else if (!findings.compilers_ran) {
    json["reason"] = "not tried: the source reads files outside the version";
  } else if (!cuda.accepted) {
    json["status"] = "failed";
    json["reason"] = cuda.reason;
  } else if (!findings.compiled()) {
    json["reason"] = fmt::format("{} accepts the source, but the version has other problems",
                                 request.uses_adapter() ? request.language->title : "nvcc");
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

Json cpu_json(const CompileRequest& request, const Findings& findings) {
  using Status = CpuArtifact::Status;
  const CpuArtifact& cpu = findings.cpu;
  Json json{{"status", "absent"}, {"reason", cpu.reason}, {"library", ""}};
  if (!findings.compilers_ran) {
    json["reason"] = "not tried: the source reads files outside the version";
  } else if (cpu.status == Status::failed) {
    json["status"] = "failed";
  } else if (cpu.status == Status::not_runnable) {
    json["status"] = "not_runnable";
  } else if (cpu.status == Status::built && !findings.compiled()) {
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

Json instructions_json(const Findings& findings) {
  Json json = Json::object();
  for (const auto& [architecture, instructions] : findings.cuda.instructions) {
    json[architecture] = to_json(instructions);
  }
  return json;
}

std::set<std::int64_t> numbers_of(const SourceText& source, const Findings& findings) {
  if (findings.cuda.module) return findings.cuda.numbers;
  return numbers_in(source.code());
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

}  // namespace

std::string cubin_name(const CudaBuild& cuda, std::size_t index) {
  return index == 0 ? "kernel.cubin" : "kernel." + cuda.cubins[index].first + ".cubin";
}

Json findings_json(const CompileRequest& request, const SourceText& source,
                   const Findings& findings) {
  Json dependencies = Json::array();
  for (const std::filesystem::path& file : findings.cuda.dependencies) {
    dependencies.push_back(file.string());
  }
  return {
      {"status", findings.compiled() ? "compiled" : "failed"},
      {"reason", reason_of(findings)},
      {"source", request.source.string()},
      {"source_sha256", ""},
      {"dependencies", std::move(dependencies)},
      {"problems", findings.problems.to_json(source)},
      {"plan", findings.plan ? plan_to_json(*findings.plan) : Json()},
      {"configurations", findings.configurations},
      {"kernels", kernels_json(findings)},
      {"instructions", instructions_json(findings)},
      {"numbers", numbers_of(source, findings)},
      {"artifacts", {{"cuda", cuda_json(request, findings)}, {"cpu", cpu_json(request, findings)}}},
      {"toolchain", Json::object()}};
}

}  // namespace kernelloop
