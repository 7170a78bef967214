#include "kernelloop/commands.hpp"
#include "report/latest.hpp"
#include "report/table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace kernelloop {

void add_why_command(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("why", "Say why the loop of an operator stopped");
  command->add_option("--config", *path, "config.json of the op")->required();
  command->callback([path] {
    const OpConfig config = load_config(*path);
    fmt::print("{}: {}\n", config.op, stop_reason(latest_history(config), config.rounds()));
  });
}

}  // namespace kernelloop
