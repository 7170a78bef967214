#include "cpu/cpu_build.hpp"

#include "cpu/cuda_rewriter.hpp"
#include "cpu/host_compiler.hpp"
#include "cpu/kernel_records.hpp"
#include "cpu/preprocessed.hpp"
#include "cpu/source_rules.hpp"
#include "cpu/unsupported.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace kernelloop {

namespace fs = std::filesystem;

namespace {

CpuBuildResult not_runnable(std::string reason, std::string diagnostics = {}) {
  CpuBuildResult result;
  result.status = CpuBuildResult::Status::not_runnable;
  result.reason = std::move(reason);
  result.diagnostics = std::move(diagnostics);
  return result;
}

CpuBuildResult failed(std::string reason, std::string diagnostics = {}) {
  CpuBuildResult result;
  result.reason = std::move(reason);
  result.diagnostics = std::move(diagnostics);
  return result;
}

CpuBuildResult refused(std::vector<BrokenRule> rules, std::string diagnostics = {}) {
  CpuBuildResult result = failed(rules.front().message, std::move(diagnostics));
  result.broken_rules = std::move(rules);
  return result;
}

CpuBuildResult failure_of(const HostCompiler::Outcome& outcome, const CpuBuildRequest& request) {
  if (outcome.timed_out) {
    return failed(fmt::format("the host compiler was stopped after {} ms", request.timeout.count()),
                  outcome.messages);
  }
  if (auto lacking = unsupported_in_messages(outcome.messages)) {
    return not_runnable(*std::move(lacking), outcome.messages);
  }
  return failed("the host compiler refuses the source", outcome.messages);
}

void check_request(const CpuBuildRequest& request) {
  const fs::path header = request.include_dir / "kernelloop" / "cpu" / "headers" / "cuda_runtime.h";
  std::error_code error;
  if (!fs::exists(header, error)) {
    fail(ExitCode::environment, "{} is not there; '{}' does not hold the CPU device's headers",
         header.string(), request.include_dir.string());
  }
  if (!fs::is_regular_file(request.source, error)) {
    fail(ExitCode::io, "cannot read {}: there is no such file", request.source.string());
  }
}

void publish(const fs::path& built, const fs::path& output) {
  std::error_code error;
  fs::rename(built, output, error);
  if (error) fail(ExitCode::io, "cannot write {}: {}", output.string(), error.message());
}

}  // namespace

CpuBuildResult build_for_cpu(const CpuBuildRequest& given) {
  // The compiler runs in the source's directory, so every path must be absolute.
  CpuBuildRequest request = given;
  request.source = fs::absolute(given.source);
  request.output = fs::absolute(given.output);
  request.include_dir = fs::absolute(given.include_dir);
  check_request(request);
  const HostCompiler compiler(request);

  const TemporaryDirectory work(request.output.parent_path());
  const fs::path preprocessed = work.path() / "preprocessed.ii";
  const fs::path rewritten = work.path() / "rewritten.ii";
  const fs::path exports = work.path() / "exports.map";
  const fs::path built = work.path() / "kernel.cpu.so";

  const HostCompiler::Outcome first = compiler.preprocess(preprocessed);
  if (!first.succeeded) return failure_of(first, request);

  const std::string text = read_file(preprocessed);
  const PreprocessedText tokens = tokenize_preprocessed(text);
  if (auto lacking = find_unsupported(tokens)) return not_runnable(*std::move(lacking));

  if (std::vector<BrokenRule> rules = broken_source_rules(tokens); !rules.empty()) {
    return refused(std::move(rules));
  }
  const std::string key = sha256(text);
  const RewrittenSource source = rewrite_cuda(text, tokens, key);
  if (source.kernels.empty()) {
    return failed("the source defines no kernel: there is no extern \"C\" __global__ function");
  }
  write_file_atomic(rewritten, source.text);
  write_file_atomic(exports, "{ global: kernelloop_cpu_module; local: *; };\n");

  const HostCompiler::Outcome second = compiler.build(rewritten, exports, built);
  if (!second.succeeded) return failure_of(second, request);

  CpuBuildResult result;
  const std::string library = read_file(built);
  result.diagnostics = first.messages + second.messages;
  if (std::vector<BrokenRule> rules = broken_module_rules(library, tokens, request.sanitize);
      !rules.empty()) {
    return refused(std::move(rules), std::move(result.diagnostics));
  }
  result.status = CpuBuildResult::Status::built;
  result.kernels = read_kernel_records(library, source.kernels, key);
  publish(built, request.output);
  return result;
}

}  // namespace kernelloop
