#include "config/op_config.hpp"
#include "kernelloop/commands.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace kernelloop {

// The stamp's time is what Ninja sees: every propose step looks again, for versions written by hand
// after a stop and for settings that lift it. Versions that are there are asked for by nobody.
void add_resume_command(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("resume", "Let the next build look again at a loop that has stopped");
  command->add_option("--config", *path, "config.json of the op")->required();
  command->callback([path] {
    const OpConfig config = load_config(*path);
    const std::filesystem::path stamp = config.build_dir / "resume";
    write_file_atomic(
        stamp, fmt::format("{}\n", std::chrono::system_clock::now().time_since_epoch().count()));
    fmt::print("{}: the next build of optimize_{} looks again\n", config.op, config.op);
  });
}

}  // namespace kernelloop
