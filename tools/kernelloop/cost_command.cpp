#include "config/find_config.hpp"
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cost/cost_report.hpp"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

struct CostOptions {
  OpChoice choice;
  std::string generated_dir;
  bool json = false;
};

// Where ledgers stand: as told, else where the operators of the build keep their versions, else
// "generated" (a project that is not configured here).
std::set<fs::path> generated_dirs(const CostOptions& options) {
  if (!options.generated_dir.empty()) return {options.generated_dir};
  const fs::path build_dir = choose_build_dir(options.choice.build_dir);
  const std::vector<fs::path> configs =
      options.choice.build_dir.empty() ? all_configs(build_dir) : require_configs(build_dir);
  if (!options.choice.config.empty() || (!options.choice.op.empty() && !configs.empty())) {
    return {load_chosen(options.choice).generated_dir};
  }
  std::set<fs::path> result;
  for (const fs::path& config : configs) result.insert(load_config(config).generated_dir);
  if (result.empty()) result.insert("generated");
  return result;
}

std::vector<LedgerEntry> entries_of(const CostOptions& options) {
  std::vector<LedgerEntry> result;
  for (const fs::path& directory : generated_dirs(options)) {
    for (LedgerEntry& entry : Ledger(directory).entries()) result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

void add_cost_command(CLI::App& app) {
  const auto options = std::make_shared<CostOptions>();
  CLI::App* command = app.add_subcommand("cost", "Say what requests to providers have cost so far");
  add_op_choice(*command, options->choice);
  command->add_option("--generated-dir", options->generated_dir,
                      "the directory of all versions, in place of a build directory");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] {
    const std::vector<LedgerEntry> entries = entries_of(*options);
    const std::string op =
        options->choice.config.empty() ? options->choice.op : load_chosen(options->choice).op;
    fmt::print("{}", options->json ? to_text(cost_json(entries, op)) : cost_table(entries, op));
  });
}

}  // namespace kernelloop
