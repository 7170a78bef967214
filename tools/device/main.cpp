// kernelloop-device: everything that happens on a device. Needs a driver at most: no network, no
// model library, no compiler.
#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/secret_environment.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace {

void add_commands(CLI::App& app) {
  kernelloop::add_bundle_commands(app);
  kernelloop::add_info_command(app);
  kernelloop::add_list_command(app);
  kernelloop::add_worker_command(app);
  kernelloop::add_verify_command(app);
  kernelloop::add_reference_command(app);
  kernelloop::add_oracle_command(app);
  kernelloop::add_baselines_command(app);
  kernelloop::add_bench_command(app);
  kernelloop::add_compare_command(app);
  kernelloop::add_ceilings_command(app);
  kernelloop::add_trace_command(app);
  kernelloop::add_counters_command(app);
  kernelloop::add_profile_command(app);
}

}  // namespace

int main(int argc, char** argv) {
  // Candidates run beneath: nothing here needs a key.
  kernelloop::forget_secrets();
  CLI::App app("Verifies and times versions on a device", "kernelloop-device");
  app.require_subcommand(1);
  add_commands(app);
  try {
    app.parse(argc, argv);
    return static_cast<int>(kernelloop::ExitCode::ok);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == 0;
    app.exit(error);
    return static_cast<int>(asked_for_help ? kernelloop::ExitCode::ok
                                           : kernelloop::ExitCode::usage);
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "kernelloop-device: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernelloop-device: internal error: {}\n", error.what());
    return static_cast<int>(kernelloop::ExitCode::internal);
  }
}
