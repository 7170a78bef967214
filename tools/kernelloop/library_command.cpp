#include "kernelloop/commands.hpp"
#include "product/library.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace kernelloop {
namespace {

struct LibraryOptions {
  std::string config;
  std::string output_dir;
  std::string depfile;
};

void build_and_say(const LibraryOptions& options) {
  const OpConfig config = load_config(options.config);
  for (const std::string& note : build_library(config, {options.output_dir, options.depfile})) {
    fmt::print(stderr, "kernelloop: {}\n", note);
  }
}

}  // namespace

void add_library_command(CLI::App& app) {
  const auto options = std::make_shared<LibraryOptions>();
  CLI::App* command =
      app.add_subcommand("library", "Generate header and launcher of the adopted version");
  command->add_option("--config", options->config, "config.json of the op")->required();
  command->add_option("--output-dir", options->output_dir, "receives <op>.h and <op>.cpp")
      ->required();
  command->add_option("--depfile", options->depfile, "Make-style list of what was read");
  command->callback([options] { build_and_say(*options); });
}

}  // namespace kernelloop
