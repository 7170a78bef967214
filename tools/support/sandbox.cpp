#include "support/sandbox.hpp"

#include "support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace kernelloop {
namespace {

constexpr const char* k_program = "bwrap";
constexpr const char* k_home = "/tmp/home";

// Programs, libraries, and what the loader and libc look at. Nothing of /etc that tells of people.
constexpr std::array k_system = {"/usr",
                                 "/bin",
                                 "/sbin",
                                 "/lib",
                                 "/lib64",
                                 "/etc/alternatives",
                                 "/etc/ld.so.cache",
                                 "/etc/ld.so.conf",
                                 "/etc/ld.so.conf.d"};

void add(std::vector<std::string>& arguments, std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
}

void add_bind(std::vector<std::string>& arguments, const char* how,
              const std::filesystem::path& path) {
  const std::string text = std::filesystem::absolute(path).lexically_normal().string();
  add(arguments, {how, text, text});
}

bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

// Whether the path can be read without a mount of its own. One within another fails where a link
// leads out of it.
bool is_seen_anyway(const std::filesystem::path& path, const SandboxRules& rules) {
  const auto covers = [&](const char* folder) { return is_within(path, folder); };
  if (!rules.whole_system) return std::any_of(k_system.begin(), k_system.end(), covers);
  constexpr std::array k_own = {"/tmp", "/dev", "/proc"};
  return std::none_of(k_own.begin(), k_own.end(), covers);
}

}  // namespace

std::vector<std::string> sandbox_prefix(const SandboxRules& rules) {
  const std::string scratch_bytes = std::to_string(rules.scratch_bytes);
  std::vector<std::string> arguments{k_program,       "--unshare-all", "--die-with-parent",
                                     "--new-session", "--cap-drop",    "ALL"};
  if (rules.info_descriptor >= 0) {
    add(arguments, {"--info-fd", std::to_string(rules.info_descriptor)});
  }
  if (rules.whole_system) add_bind(arguments, "--ro-bind", "/");
  add(arguments,
      {"--proc", "/proc", "--dev", "/dev", "--size", scratch_bytes, "--tmpfs", "/dev/shm"});
  for (const auto& node : rules.devices) add_bind(arguments, "--dev-bind-try", node);
  // All else of it is small, but a file in it would be memory of the machine without a limit.
  add(arguments,
      {"--remount-ro", "/dev", "--size", scratch_bytes, "--tmpfs", "/tmp", "--dir", k_home});
  if (!rules.whole_system) {
    for (const char* path : k_system) add_bind(arguments, "--ro-bind-try", path);
  }
  for (const auto& path : rules.readable) {
    if (!is_seen_anyway(path.lexically_normal(), rules)) add_bind(arguments, "--ro-bind-try", path);
  }
  for (const auto& [there, here] : rules.placed) {
    add(arguments, {"--ro-bind", std::filesystem::absolute(here).string(), there.string()});
  }
  for (const auto& path : rules.writable) add_bind(arguments, "--bind-try", path);
  // The root is memory of the machine, too.
  if (!rules.whole_system) add(arguments, {"--remount-ro", "/"});
  add(arguments, {"--setenv", "HOME", k_home, "--unsetenv", "TMPDIR"});
  for (const auto& [name, value] : rules.variables) add(arguments, {"--setenv", name, value});
  std::filesystem::path folder = rules.directory;
  if (folder.empty()) folder = rules.writable.empty() ? "/tmp" : rules.writable.front();
  add(arguments, {"--chdir", std::filesystem::absolute(folder).lexically_normal().string(), "--"});
  return arguments;
}

Command confine(const Command& command, const SandboxRules& rules) {
  Command confined = command;
  confined.arguments = sandbox_prefix(rules);
  confined.arguments.insert(confined.arguments.end(), command.arguments.begin(),
                            command.arguments.end());
  confined.directory.clear();
  // bubblewrap itself is a process in there, whose environment can be read.
  confined.variables = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C.UTF-8"}};
  confined.inherit_variables = false;
  return confined;
}

const std::string& sandbox_problem() {
  static const std::string k_problem = []() -> std::string {
    constexpr std::string_view k_remedy =
        "install the package bubblewrap and allow unprivileged user namespaces "
        "(kernel.unprivileged_userns_clone=1, and no AppArmor rule against bwrap)";
    if (find_program(k_program).empty()) {
      return fmt::format("there is no bwrap on this machine; {}", k_remedy);
    }
    Command nothing;
    nothing.arguments = {"true"};
    nothing.timeout = std::chrono::seconds(10);
    try {
      const ProcessResult result = run(confine(nothing, {}));
      if (result.succeeded()) return {};
      return fmt::format("bwrap {}: {}; {}", result.describe(),
                         result.error_output.substr(0, result.error_output.find('\n')), k_remedy);
    } catch (const Error& error) {
      return fmt::format("{}; {}", error.what(), k_remedy);
    }
  }();
  return k_problem;
}

SandboxMode sandbox_mode() {
  const char* text = std::getenv("KERNELLOOP_SANDBOX");
  const std::string_view mode = text == nullptr ? "" : text;
  if (mode.empty() || mode == "auto") return SandboxMode::automatic;
  if (mode == "off") return SandboxMode::off;
  if (mode == "required") return SandboxMode::required;
  fail(ExitCode::usage, "KERNELLOOP_SANDBOX is '{}', but must be auto, off or required", mode);
}

std::string reason_not_to_confine(SandboxProof proof) {
  const SandboxMode mode = sandbox_mode();
  if (mode == SandboxMode::off) return "KERNELLOOP_SANDBOX is off";
  if (proof == SandboxProof::there && !find_program(k_program).empty()) return {};
  const std::string& problem = sandbox_problem();
  if (mode == SandboxMode::required && !problem.empty()) {
    fail(ExitCode::environment,
         "KERNELLOOP_SANDBOX is required, and nothing can be confined here: {}", problem);
  }
  return problem;
}

std::string unconfined_text(const std::string& reason) {
  return fmt::format("no bubblewrap ({}): files, network and other processes within reach", reason);
}

}  // namespace kernelloop
