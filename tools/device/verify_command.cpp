#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "verify/verify.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace kernelloop {
namespace {

struct VerifyCommand {
  VerifyOptions options;
  std::filesystem::path output;
  bool gate = false;
  bool share_gpu = false;
  double launch_timeout_seconds = 60;
  double reference_timeout_seconds = 120;
};

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000.0));
}

// As a CTest test sees it: skipped (77) where nothing could be said, failed (1) unless passed.
void answer_gate(const VerifyResult& result) {
  if (result.status == Verdict::passed) return;
  fmt::print("{}", result.details);
  const bool cannot_say = result.status == Verdict::not_runnable ||
                          (result.status == Verdict::skipped && result.compiled);
  throw CLI::RuntimeError(
      static_cast<int>(cannot_say ? ExitCode::skipped : ExitCode::check_failed));
}

void verify(VerifyCommand command) {
  command.options.launch_timeout = milliseconds_of(command.launch_timeout_seconds);
  command.options.reference_timeout = milliseconds_of(command.reference_timeout_seconds);
  VerifyResult result;
  try {
    result = run_verify(command.options,
                        worker_executors(command.options.device,
                                         command.share_gpu ? Company::sharers : Company::none));
  } catch (const Error& error) {
    if (!command.gate || error.code() != ExitCode::environment) throw;
    throw Error(ExitCode::skipped, error.what());
  }
  if (!command.output.empty()) write_file_if_changed(command.output, to_text(result.json));
  fmt::print("{}\n", result.summary);
  if (command.gate) answer_gate(result);
}

}  // namespace

void add_verify_command(CLI::App& app) {
  const auto command = std::make_shared<VerifyCommand>();
  VerifyOptions& options = command->options;
  CLI::App* sub = app.add_subcommand("verify", "Climb the test ladder with one version");
  sub->add_option("--contract", options.contract, "contract.json of the op")->required();
  sub->add_option("--checks", options.checks, "checks.json of the op")->required();
  sub->add_option("--compiled", options.compiled, "compile.json of the version")->required();
  sub->add_option("--reference", options.reference, "The op's reference library")->required();
  sub->add_option("--device", options.device, "cuda or cpu")
      ->required()
      ->check(CLI::IsMember({"cuda", "cpu"}));
  sub->add_option("--rules", options.rules, "Number of the verification rules")->required();
  auto* output = sub->add_option("--output", command->output, "verify.json to write");
  auto* gate = sub->add_flag("--gate", command->gate,
                             "Exit 1 unless passed, 77 where it cannot be verified");
  sub->add_option("--rung", options.only_rung, "Only this rung");
  sub->add_option("--up-to", options.up_to_rung, "Climb no further than this rung");
  sub->add_flag("--sanitizer", options.sanitizer,
                "Run under compute-sanitizer too, once all else has passed (GPU)");
  sub->add_flag("--share-gpu", command->share_gpu,
                "Let other verifications that say so have the GPU at the same time");
  sub->add_flag("--keep-going", options.keep_going, "Climb on after a failure");
  sub->add_option("--seed", options.seed, "Draw every case from this recorded seed");
  sub->add_option("--launch-timeout", command->launch_timeout_seconds,
                  "Seconds that one run of a candidate may take")
      ->check(CLI::PositiveNumber);
  sub->add_option("--reference-timeout", command->reference_timeout_seconds,
                  "Seconds that one call of the reference may take")
      ->check(CLI::PositiveNumber);
  sub->callback([command, output, gate] {
    if (output->count() == 0 && gate->count() == 0) {
      fail(ExitCode::usage, "verify: name the file for the verdict with --output, or ask --gate");
    }
    verify(*command);
  });
}

}  // namespace kernelloop
