#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "kernelloop/resume.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace kernelloop {

void touch_resume(const OpConfig& config) {
  write_file_atomic(
      config.build_dir / "resume",
      fmt::format("{}\n", std::chrono::system_clock::now().time_since_epoch().count()));
}

void add_resume_command(CLI::App& app) {
  const auto choice = std::make_shared<OpChoice>();
  CLI::App* command =
      app.add_subcommand("resume", "Let the next build look again at a loop that has stopped");
  add_op_choice(*command, *choice);
  command->callback([choice] {
    const OpConfig config = load_chosen(*choice);
    touch_resume(config);
    fmt::print("{}: the next build of optimize_{} looks again\n", config.op, config.op);
  });
}

}  // namespace kernelloop
