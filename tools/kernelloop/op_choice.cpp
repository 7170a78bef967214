#include "kernelloop/op_choice.hpp"

#include "config/find_config.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>

namespace kernelloop {

void add_op_choice(CLI::App& command, OpChoice& choice) {
  command.add_option("op", choice.op, "operator");
  command.add_option("--build-dir", choice.build_dir,
                     "build directory (default: this one, build, or one in build)");
  command.add_option("--config", choice.config, "config.json of the operator, in place of both");
}

OpConfig load_chosen(const OpChoice& choice) {
  if (!choice.config.empty()) {
    OpConfig config = load_config(choice.config);
    // Else what was meant for another argument would be taken for the operator and not heard.
    if (!choice.op.empty() && choice.op != config.op) {
      fail(ExitCode::usage, "{} is of the operator {}, not {}; name {} too, or leave out --config",
           choice.config, config.op, choice.op, config.op);
    }
    return config;
  }
  if (choice.op.empty())
    fail(ExitCode::usage, "name an operator, or its config.json with --config");
  return load_config(find_config(choose_build_dir(choice.build_dir), choice.op));
}

}  // namespace kernelloop
