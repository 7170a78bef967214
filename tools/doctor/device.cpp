#include "support/control_group.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/process.hpp"
#include "support/text.hpp"
#include "support/toolkit.hpp"

#include <fmt/format.h>

#include "doctor/doctor.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using Level = Finding::Level;

std::string first_line(const std::string& text) {
  const auto lines = split_lines(text);
  return lines.empty() ? std::string() : std::string(lines.front());
}

// What a line "<name><colon><value>" of a file says; "" without the file or the line.
std::string value_of(const fs::path& file, const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const std::string content = read_file(file);
  for (const std::string_view line : split_lines(content)) {
    if (line.substr(0, name.size() + 1) != name + ":") continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string_view::npos ? std::string() : std::string(line.substr(begin));
  }
  return {};
}

Finding driver(const Surroundings& machine) {
  const fs::path file = machine.proc / "driver/nvidia/version";
  std::error_code ignored;
  if (fs::exists(file, ignored)) return {Level::ok, "driver", first_line(read_file(file)), ""};
  return {Level::absent, "driver", "no NVIDIA driver is loaded",
          "without one, verify on the CPU device, or elsewhere by KERNELLOOP_DEVICE_LAUNCHER"};
}

// What kernelloop-device says about a device of this machine.
Finding device(const Surroundings& machine, const std::string& kind) {
  const std::string topic = kind == "cuda" ? "GPU" : "CPU device";
  if (machine.device_tool.empty()) {
    return {Level::broken, topic, "kernelloop-device is not beside kernelloop",
            "install KernelLoop whole"};
  }
  Command command;
  command.arguments = {machine.device_tool.string(), "info", "--device", kind};
  command.timeout = std::chrono::seconds(60);
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    return {kind == "cuda" ? Level::absent : Level::broken, topic,
            result.error_output.empty() ? result.describe() : first_line(result.error_output),
            kind == "cuda" ? "kernelloop-device list shows what can be used" : ""};
  }
  const Json info = parse_json(result.output, "kernelloop-device info").value;
  std::string text = text_member(info, "name");
  for (const char* name : {"architecture", "driver"}) {
    if (const std::string value = text_member(info, name); !value.empty()) {
      text += fmt::format(", {} {}", name, value);
    }
  }
  return {Level::ok, topic, text, ""};
}

// CAP_PERFMON (38) or CAP_SYS_ADMIN (21): what the driver asks for where counters are restricted.
bool may_profile(const fs::path& proc) {
  const std::string effective = value_of(proc / "self/status", "CapEff");
  const std::uint64_t capabilities = std::strtoull(effective.c_str(), nullptr, 16);
  return ((capabilities >> 38) & 1) != 0 || ((capabilities >> 21) & 1) != 0;
}

Finding counters(const Surroundings& machine) {
  const std::string restricted =
      value_of(machine.proc / "driver/nvidia/params", "RmProfilingAdminOnly");
  if (restricted.empty()) {
    return {Level::absent, "counters", "no driver to ask for rights to performance counters", ""};
  }
  if (restricted == "0") return {Level::ok, "counters", "open to every user", ""};
  if (may_profile(machine.proc)) {
    return {Level::ok, "counters", "for administrators only, and this user is one", ""};
  }
  return {Level::absent, "counters", "for administrators only (RmProfilingAdminOnly is 1)",
          "load the driver's module with NVreg_RestrictProfilingToAdminUsers=0, or run with "
          "CAP_PERFMON; times and verdicts need no counters"};
}

Finding cupti(const Surroundings& machine) {
  std::vector<fs::path> roots = toolkit_roots();
  if (!machine.nvcc.empty()) roots.insert(roots.begin(), machine.nvcc.parent_path().parent_path());
  for (const fs::path& root : roots) {
    for (const char* place : {"extras/CUPTI/lib64/libcupti.so", "lib64/libcupti.so",
                              "targets/x86_64-linux/lib/libcupti.so"}) {
      std::error_code ignored;
      if (fs::exists(root / place, ignored)) {
        return {Level::ok, "CUPTI", (root / place).string(), ""};
      }
    }
  }
  return {Level::absent, "CUPTI", "libcupti.so is not in the toolkit",
          "install cuda-cupti for counters and the referee of times"};
}

Finding sandbox() {
  const fs::path program = find_program("bwrap");
  if (program.empty()) {
    return {Level::absent, "sandbox", "there is no bwrap in PATH",
            "install bubblewrap; until then candidates and compilers of their sources can reach "
            "files and network"};
  }
  Command command;
  command.arguments = {program.string(), "--ro-bind", "/", "/", "--unshare-all", "--", "true"};
  command.timeout = std::chrono::seconds(10);
  const ProcessResult result = run(command);
  if (result.succeeded()) return {Level::ok, "sandbox", program.string() + " works", ""};
  return {Level::absent, "sandbox",
          fmt::format(
              "{} does not work here: {}", program.string(),
              result.error_output.empty() ? result.describe() : first_line(result.error_output)),
          "allow user namespaces (kernel.unprivileged_userns_clone, AppArmor)"};
}

Finding memory_limit() {
  const ControlGroupHome& home = control_group_home();
  if (home.path.empty()) {
    return {Level::ok, "memory limit",
            "watched, twenty times a second; the kernel cannot limit it: " + home.problem, ""};
  }
  return {Level::ok, "memory limit", "by the kernel, in control groups below " + home.path.string(),
          ""};
}

}  // namespace

std::vector<Finding> check_device(const Surroundings& machine) {
  return {driver(machine), device(machine, "cuda"), device(machine, "cpu"),
          cupti(machine),  counters(machine),       sandbox(),
          memory_limit()};
}

}  // namespace kernelloop
