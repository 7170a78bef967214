#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "report/latest.hpp"
#include "report/table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace kernelloop {

void add_report_command(CLI::App& app) {
  const auto choice = std::make_shared<OpChoice>();
  CLI::App* command = app.add_subcommand("report", "Show the versions of an operator as a table");
  add_op_choice(*command, *choice);
  command->callback([choice] {
    const OpConfig config = load_chosen(*choice);
    fmt::print("{}", history_table(latest_history(config), config.rounds()));
  });
}

}  // namespace kernelloop
