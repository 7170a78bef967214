// kernelloop: the host program. Its subcommands are the steps of the build graph and the commands
// for people; candidates' code never runs in it.
#include "kernelloop/commands.hpp"
#include "support/error.hpp"
#include "support/secret_environment.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

namespace kernelloop {
namespace {

int run_commands(int argc, char** argv) {
  CLI::App app("KernelLoop: GPU operators as build targets", "kernelloop");
  app.set_version_flag("--version", KERNELLOOP_VERSION);
  app.require_subcommand(1);
  add_spec_command(app);
  add_propose_command(app);
  add_courier_command(app);
  add_compile_command(app);
  add_learn_command(app);
  add_adopt_command(app);
  add_fleet_command(app);
  add_library_command(app);
  add_provenance_command(app);
  add_check_command(app);
  add_report_command(app);
  add_context_command(app);
  add_devices_command(app);
  add_doctor_command(app);
  add_guide_command(app);
  add_inspect_command(app);
  add_resume_command(app);
  add_steer_command(app);
  add_status_command(app);
  add_toolchain_command(app);
  add_watch_command(app);
  add_why_command(app);
  add_cost_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help, --version
    app.exit(error);
    return asked ? 0 : static_cast<int>(ExitCode::usage);
  }
  return 0;
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  // The steps that ask need keys; nothing else does.
  const std::string_view command = argc > 1 ? argv[1] : "";
  const bool asks = command == "propose" || command == "courier" || command == "doctor";
  if (!asks) kernelloop::forget_secrets();
  try {
    return kernelloop::run_commands(argc, argv);
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "kernelloop: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernelloop: internal error: {}; please report it\n", error.what());
    return static_cast<int>(kernelloop::ExitCode::internal);
  }
}
