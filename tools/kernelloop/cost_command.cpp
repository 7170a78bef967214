#include "kernelloop/commands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cost/cost_report.hpp"

#include <memory>
#include <string>

namespace kernelloop {
namespace {

struct CostOptions {
  std::string op;
  std::string generated_dir = "generated";
  bool json = false;
};

}  // namespace

void add_cost_command(CLI::App& app) {
  const auto options = std::make_shared<CostOptions>();
  CLI::App* command = app.add_subcommand("cost", "Say what requests to providers have cost so far");
  command->add_option("op", options->op, "only this operator");
  command->add_option("--generated-dir", options->generated_dir, "the directory of all versions")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] {
    const auto entries = Ledger(options->generated_dir).entries();
    fmt::print("{}", options->json ? to_text(cost_json(entries, options->op))
                                   : cost_table(entries, options->op));
  });
}

}  // namespace kernelloop
