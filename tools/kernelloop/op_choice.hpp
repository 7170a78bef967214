// How a command is told which operator it is about: <op> and --build-dir for people, --config for
// the build.
#pragma once

#include "config/op_config.hpp"

#include <CLI/App.hpp>

#include <string>

namespace kernelloop {

struct OpChoice {
  std::string op;
  std::string build_dir;
  std::string config;
};

// Adds [op], --build-dir and --config to a command.
void add_op_choice(CLI::App& command, OpChoice& choice);

// Throws Error(usage) when nothing was named, or a configuration and another operator than its own;
// Error(bad_input) when there is no such operator.
OpConfig load_chosen(const OpChoice& choice);

}  // namespace kernelloop
