#include "compile/compile.hpp"

#include "compile/findings.hpp"
#include "compile/nvcc.hpp"
#include "compile/source_text.hpp"
#include "support/confined_compiler.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"

#include "languages/language.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace kernelloop {
namespace {

constexpr const char* k_stage_prefix = "kernel.ir.";

bool is_artifact(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name == "kernel.ptx" || name.rfind(k_stage_prefix, 0) == 0 || name == "kernel.cpu.so" ||
         (name.rfind("kernel.", 0) == 0 && file.extension() == ".cubin");
}

// Puts the files in place, those unchanged untouched, and removes what an earlier compile left.
void publish(const CompileRequest& request, const Findings& findings) {
  std::vector<std::pair<std::string, std::filesystem::path>> files;
  if (findings.compiled()) {
    for (std::size_t i = 0; i < findings.cuda.cubins.size(); ++i) {
      files.emplace_back(cubin_name(findings.cuda, i), findings.cuda.cubins[i].second);
    }
    if (!findings.cuda.ptx.empty()) files.emplace_back("kernel.ptx", findings.cuda.ptx);
    for (const std::filesystem::path& dump : findings.dumps) {
      files.emplace_back(k_stage_prefix + dump.filename().string(), dump);
    }
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

void require_usable(const CompileRequest& request) {
  if (request.spec == nullptr) fail(ExitCode::internal, "compile_version needs the op's spec");
  if (request.uses_adapter() && request.traced) {
    fail(ExitCode::bad_input, "{} cannot be traced: marks are for CUDA C++",
         request.source.string());
  }
  if (request.nvcc.empty() && !request.for_cpu && !request.uses_adapter()) {
    fail(ExitCode::environment,
         "there is no nvcc to compile {} with; install the CUDA toolkit or set "
         "KERNELLOOP_NVCC, or use the cpu device",
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

bool CompileRequest::uses_adapter() const { return language != nullptr && !language->is_cuda(); }

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
  publish(request, findings);
  Json json = findings_json(request, source, findings);
  json["source_sha256"] = source_hash;
  if (request.uses_adapter()) toolchain["compiler"] = findings.compiler;
  toolchain["confinement"] = compiler_confinement();
  json["toolchain"] = std::move(toolchain);
  return json;
}

}  // namespace kernelloop
