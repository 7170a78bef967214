#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "verify/oracle.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace kernelloop {
namespace {

struct OracleCommand {
  OracleOptions options;
  std::filesystem::path output;
  double reference_timeout_seconds = 120;
};

void test_oracle(OracleCommand command) {
  command.options.reference_timeout = std::chrono::milliseconds(
      static_cast<std::int64_t>(command.reference_timeout_seconds * 1000.0));
  const OracleResult result = run_oracle(command.options);
  if (!command.output.empty()) write_file_if_changed(command.output, to_text(result.json));
  fmt::print("{}\n{}", result.summary, result.table);
  if (!result.passed) throw CLI::RuntimeError(static_cast<int>(ExitCode::check_failed));
}

}  // namespace

void add_oracle_command(CLI::App& app) {
  const auto command = std::make_shared<OracleCommand>();
  OracleOptions& options = command->options;
  CLI::App* sub = app.add_subcommand(
      "oracle", "Test the test ladder: wrong results must fail it, the reference's must not");
  sub->add_option("--spec", options.spec, "op.json")->required();
  sub->add_option("--reference", options.reference, "The op's reference library")->required();
  sub->add_option("--rules", options.rules, "Number of the verification rules")->required();
  sub->add_option("--output", command->output, "oracle.json to write");
  sub->add_option("--reference-timeout", command->reference_timeout_seconds,
                  "Seconds that one call of the reference may take")
      ->check(CLI::PositiveNumber);
  sub->callback([command] { test_oracle(*command); });
}

}  // namespace kernelloop
