#include "inspect/disassembler.hpp"

#include "compile/text.hpp"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/toolkit.hpp"

#include <chrono>

namespace kernelloop {
namespace {

constexpr std::size_t k_longest_listing = 64u << 20;

ProcessResult run_tool(const Disassembler& disassembler, std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.arguments.insert(command.arguments.begin(), disassembler.program.string());
  command.variables = {{"LC_ALL", "C"}};
  command.timeout = std::chrono::seconds(60);
  command.output_limit = k_longest_listing;
  return run(command);
}

}  // namespace

Disassembler find_disassembler(const std::filesystem::path& nvcc) {
  if (auto found = find_toolkit_program("nvdisasm", nvcc); !found.empty()) {
    return {Disassembler::Kind::nvdisasm, std::move(found)};
  }
  if (auto found = find_toolkit_program("cuobjdump", nvcc); !found.empty()) {
    return {Disassembler::Kind::cuobjdump, std::move(found)};
  }
  return {};
}

std::string disassemble(const Disassembler& disassembler, const std::filesystem::path& cubin) {
  if (disassembler.kind == Disassembler::Kind::none) {
    fail(
        ExitCode::environment,
        "neither nvdisasm nor cuobjdump is on this machine, so {} cannot be shown as SASS; install "
        "the CUDA toolkit's nvdisasm (package cuda-nvdisasm, or nvidia-cuda-nvdisasm from PyPI) "
        "and put it into PATH",
        cubin.string());
  }
  const bool nvdisasm = disassembler.kind == Disassembler::Kind::nvdisasm;
  ProcessResult result =
      nvdisasm
          ? run_tool(disassembler, {"--print-code", "--print-line-info-inline", cubin.string()})
          : run_tool(disassembler, {"-sass", cubin.string()});
  if (nvdisasm && !result.succeeded()) {
    // A cubin without lines, or an nvdisasm that cannot tell what was inlined.
    result = run_tool(disassembler, {"--print-code", cubin.string()});
  }
  if (!result.succeeded() || result.output.empty()) {
    fail(ExitCode::environment, "{} cannot read {} ({}): {}", disassembler.program.string(),
         cubin.string(), result.describe(),
         trimmed(result.error_output.substr(0, result.error_output.find('\n'))));
  }
  // Half a listing would give other loops and counts than the kernel has.
  if (result.output_truncated) {
    fail(ExitCode::bad_input, "{} prints more than {} MiB for {}: too long to be looked at",
         disassembler.program.string(), k_longest_listing >> 20, cubin.string());
  }
  return result.output;
}

std::string version_of(const Disassembler& disassembler) {
  if (disassembler.kind == Disassembler::Kind::none) return "";
  std::string name = disassembler.program.filename().string();
  const std::string output = run_tool(disassembler, {"--version"}).output;
  constexpr std::string_view k_mark = ", V";  // "Cuda compilation tools, release 13.0, V13.0.85"
  const std::size_t at = output.rfind(k_mark);
  if (at == std::string::npos) return name;
  const std::string_view rest = std::string_view(output).substr(at + k_mark.size());
  return name + " " + std::string(trimmed(rest.substr(0, rest.find('\n'))));
}

}  // namespace kernelloop
