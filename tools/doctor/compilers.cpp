#include "support/error.hpp"
#include "support/process.hpp"
#include "support/text.hpp"
#include "support/toolkit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "doctor/doctor.hpp"
#include "inspect/disassembler.hpp"
#include "languages/toolchain.hpp"

#include <chrono>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using Level = Finding::Level;

// The line of `--version` that names the version: the first one that holds `mark`, "" without one.
std::string version_line(const fs::path& program, const std::string& mark) {
  Command command;
  command.arguments = {program.string(), "--version"};
  command.timeout = std::chrono::seconds(20);
  try {
    const ProcessResult result = run(command);
    if (!result.succeeded()) return {};
    for (const std::string_view line : split_lines(result.output)) {
      if (line.find(mark) != std::string_view::npos) return std::string(line);
    }
  } catch (const Error&) {  // it cannot be started
  }
  return {};
}

Finding host_compiler(const Surroundings& machine) {
  const fs::path program =
      machine.host_compiler.empty() ? find_program("c++") : machine.host_compiler;
  const std::string version = program.empty() ? "" : version_line(program, "");
  if (!version.empty()) return {Level::ok, "host compiler", version, ""};
  return {Level::absent, "host compiler",
          program.empty() ? "there is no c++ in PATH" : program.string() + " does not run",
          "install g++ or clang++: the CPU device and nvcc need it"};
}

Finding toolkit_program(const Surroundings& machine, const std::string& name,
                        const std::string& mark, const std::string& remedy) {
  const fs::path program = name == "nvcc" && !machine.nvcc.empty()
                               ? machine.nvcc
                               : find_toolkit_program(name, machine.nvcc);
  if (program.empty()) return {Level::absent, name, "is not here", remedy};
  const std::string version = version_line(program, mark);
  if (version.empty()) {
    return {Level::broken, name, program.string() + " does not run",
            "install the CUDA toolkit anew"};
  }
  return {Level::ok, name, fmt::format("{} ({})", version, program.string()), ""};
}

Finding plot_program() {
  const fs::path program = find_program("gnuplot");
  if (program.empty()) {
    return {Level::absent, "gnuplot", "is not here",
            "install gnuplot-nox: the pages of reports lack their plots without it"};
  }
  const std::string version = version_line(program, "gnuplot");
  if (version.empty()) {
    return {Level::broken, "gnuplot", program.string() + " does not run",
            "install gnuplot-nox anew"};
  }
  return {Level::ok, "gnuplot", version, ""};
}

// The compilers of the other kernel languages. The error says what to install.
Finding toolchain_of(const Language& language) {
  try {
    const Toolchain toolchain = find_toolchain(language);
    return {Level::ok, language.title,
            fmt::format("{} ({})", fmt::join(toolchain.versions, ", "), toolchain.python.string()),
            ""};
  } catch (const Error& error) {
    return {Level::absent, language.title, error.what(), ""};
  }
}

}  // namespace

std::vector<Finding> check_compilers(const Surroundings& machine) {
  std::vector<Finding> findings{host_compiler(machine)};
  findings.push_back(
      toolkit_program(machine, "nvcc", "release",
                      "install the CUDA toolkit: without it only the CPU device works"));
  // One of the two makes a version; a machine with neither cannot run a loop.
  if (findings[0].level == Level::absent && findings[1].level == Level::absent) {
    findings[1].level = Level::broken;
  }
  const Disassembler disassembler = find_disassembler(machine.nvcc);
  if (disassembler.kind == Disassembler::Kind::none) {
    findings.push_back({Level::absent, "disassembler", "neither nvdisasm nor cuobjdump is here",
                        "install cuda-nvdisasm to look at SASS; PTX is shown without it"});
  } else {
    findings.push_back({Level::ok, "disassembler", version_of(disassembler), ""});
  }
  findings.push_back(toolkit_program(machine, "compute-sanitizer", "ersion",
                                     "install cuda-sanitizer: the rung `sanitizer` is skipped"));
  findings.push_back(
      toolkit_program(machine, "ncu", "ersion", "install nsight-compute for its sections"));
  findings.push_back(plot_program());
  for (const Language& language : all_languages()) {
    if (!language.is_cuda()) findings.push_back(toolchain_of(language));
  }
  return findings;
}

}  // namespace kernelloop
