#include "support/sandbox.hpp"

#include "support/error.hpp"

#include <fmt/format.h>

#include <array>
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

}  // namespace

Command confine(const Command& command, const SandboxRules& rules) {
  Command confined = command;
  std::vector<std::string>& arguments = confined.arguments;
  arguments = {k_program,
               "--unshare-all",
               "--die-with-parent",
               "--new-session",
               "--cap-drop",
               "ALL",
               "--clearenv",
               "--proc",
               "/proc",
               "--dev",
               "/dev",
               "--size",
               std::to_string(rules.scratch_bytes),
               "--tmpfs",
               "/tmp",
               "--dir",
               k_home};
  for (const char* path : k_system) add_bind(arguments, "--ro-bind-try", path);
  for (const auto& path : rules.readable) add_bind(arguments, "--ro-bind-try", path);
  for (const auto& path : rules.writable) add_bind(arguments, "--bind-try", path);
  add(arguments, {"--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME", k_home,
                  "--setenv", "LANG", "C.UTF-8"});
  for (const auto& [name, value] : rules.variables) add(arguments, {"--setenv", name, value});
  if (!rules.writable.empty()) {
    add(arguments,
        {"--chdir", std::filesystem::absolute(rules.writable.front()).lexically_normal().string()});
  }
  add(arguments, {"--"});
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  confined.directory.clear();
  // bubblewrap itself is a process in there, whose environment can be read.
  confined.variables.clear();
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

}  // namespace kernelloop
