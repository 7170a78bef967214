// `kernelloop-device reference`: a step before the first proposal, so that nothing is asked for
// what a broken reference could never judge.
#include "device/commands.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "verify/reference_trial.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace kernelloop {
namespace {

struct ReferenceCommand {
  std::filesystem::path checks;
  std::filesystem::path reference;
  std::string device;
  std::filesystem::path output;
  double timeout_seconds = 120;
};

void try_it(const ReferenceCommand& command) {
  const OpSpec spec = load_op_spec(command.checks);
  const ReferenceLibrary reference(
      command.reference,
      std::chrono::milliseconds(static_cast<std::int64_t>(command.timeout_seconds * 1000.0)));
  const std::size_t cases = try_reference(spec, command.device, reference);
  // Nothing else may stand in it: whoever asks a model depends on it, and a reference that was
  // changed is no reason to.
  write_file_if_changed(command.output,
                        to_text({{"schema_version", 1}, {"op", spec.name}, {"status", "works"}}));
  fmt::print("{}: the reference works ({} cases)\n", spec.name, cases);
}

}  // namespace

void add_reference_command(CLI::App& app) {
  const auto command = std::make_shared<ReferenceCommand>();
  CLI::App* sub = app.add_subcommand(
      "reference", "Call the op's reference on small shapes, to see whether it works");
  sub->add_option("--checks", command->checks, "checks.json of the op")->required();
  sub->add_option("--reference", command->reference, "The op's reference library")->required();
  sub->add_option("--device", command->device, "cuda or cpu")
      ->required()
      ->check(CLI::IsMember({"cuda", "cpu"}));
  sub->add_option("--output", command->output, "reference.json to write")->required();
  sub->add_option("--reference-timeout", command->timeout_seconds,
                  "Seconds that one call of the reference may take")
      ->check(CLI::PositiveNumber);
  sub->callback([command] { try_it(*command); });
}

}  // namespace kernelloop
