// `kernelloop inspect <op> <version>`: a compiled version from close by.
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "support/error.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "inspect/inspect.hpp"

#include <memory>
#include <string>

namespace kernelloop {
namespace {

struct InspectOptions {
  OpChoice choice;
  std::string version;
  std::string architecture;
  std::string other;  // --diff
  bool ptx = false;
  bool sass = false;
  bool loop = false;
  bool resources = false;
  bool histogram = false;
};

int number_of(const std::string& version) {
  const int number = version_number(version);
  if (number == 0) fail(ExitCode::usage, "'{}' is no version; write v001, v002, ...", version);
  return number;
}

void print_difference(const InspectOptions& options, const OpConfig& config,
                      const VersionFiles& files) {
  const VersionFiles before = version_files(config, number_of(options.other), options.architecture);
  if (options.ptx) {
    fmt::print("{}", code_difference_text(before, files, Listing::Language::ptx));
  } else if (options.sass) {
    fmt::print("{}", code_difference_text(before, files, Listing::Language::sass));
  } else {
    fmt::print("{}", difference_text(before, files));
  }
}

void inspect(const InspectOptions& options) {
  const OpConfig config = load_chosen(options.choice);
  const VersionFiles files =
      version_files(config, number_of(options.version), options.architecture);
  if (!options.other.empty()) {
    print_difference(options, config, files);
  } else if (options.ptx) {
    fmt::print("{}", ptx_text(files));
  } else if (options.sass) {
    fmt::print("{}", sass_text(files));
  } else if (options.loop) {
    fmt::print("{}", loop_text(files));
  } else if (options.histogram) {
    fmt::print("{}", histogram_text(files));
  } else {
    fmt::print("{}", resources_text(files));
  }
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Show a compiled version from close by: resources unless asked for more");
  add_op_choice(*command, options->choice);
  command->add_option("version", options->version, "version, as v003")->required();
  command->add_option("--architecture", options->architecture,
                      "of several cubins, the one for 90a");
  CLI::Option_group* what = command->add_option_group("what");
  what->add_flag("--ptx", options->ptx, "the PTX");
  what->add_flag("--sass", options->sass, "the SASS");
  what->add_flag("--loop", options->loop, "the hot loop of each kernel");
  what->add_flag("--resources", options->resources, "registers, shared memory, spills");
  what->add_flag("--histogram", options->histogram, "instructions by class");
  what->require_option(0, 1);
  command->add_option("--diff", options->other,
                      "what changed from this version: source, resources, instructions; with --ptx "
                      "or --sass, that code");
  command->callback([options] { inspect(*options); });
}

}  // namespace kernelloop
