#include "kernelloop/commands.hpp"
#include "loop/learn.hpp"
#include "report/table.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace kernelloop {
namespace {

struct LearnOptions {
  std::string config;
  int round = 0;
  double sol_target = 0.9;
};

void learn_and_say(const LearnOptions& options) {
  const OpConfig config = load_config(options.config);
  const History history = learn(config, options.round, options.sol_target);
  for (const VersionRecord& record : history.versions) {
    if (record.round != options.round) continue;
    fmt::print("{} {}: {}{}\n", config.op, record.version, name_of(record.outcome),
               record.failure.empty() ? "" : ": " + record.failure);
  }
  if (history.decision.action == Decision::Action::stop) {
    fmt::print("{}: stopped: {}\n", config.op, history.decision.reason);
  }
}

}  // namespace

void add_learn_command(CLI::App& app) {
  const auto options = std::make_shared<LearnOptions>();
  CLI::App* command = app.add_subcommand("learn", "Fold a round into the history and decide");
  command->add_option("--config", options->config, "config.json of the op")->required();
  command->add_option("--round", options->round, "round, from 1")
      ->required()
      ->check(CLI::PositiveNumber);
  command->add_option("--sol-target", options->sol_target, "share of the roofline to stop at")
      ->check(CLI::Range(0.0, 1.0));
  command->callback([options] { learn_and_say(*options); });
}

}  // namespace kernelloop
