// `kernelloop agent-guide <op>`: what a coding agent needs to drive the loop by hand.
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "propose/templates.hpp"
#include "propose/user_config.hpp"
#include "support/own_paths.hpp"
#include "support/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "languages/language.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

std::vector<std::string> titles_of(const OpConfig& config) {
  std::vector<std::string> titles;
  for (const std::string& name : config.languages) titles.push_back(language_named(name).title);
  return titles;
}

void print_guide(const OpChoice& choice) {
  const OpConfig config = load_chosen(choice);
  // <build>/kernelloop/<op>
  const std::filesystem::path build = config.build_dir.parent_path().parent_path();
  const std::string note =
      config.provider == "manual"
          ? std::string()
          : fmt::format(
                "\nThe provider of `{0}` is `{1}`: set `PROVIDER manual` in its "
                "add_kernel_op (or -DKERNELLOOP_PROVIDER=manual where that names none) and "
                "configure again, else the build asks somebody else.\n",
                config.op, config.provider);
  const Templates templates(load_user_config(process_environment).prompts_dir);
  fmt::print("{}",
             templates.fill("agent_guide",
                            {{"op", config.op},
                             {"languages", fmt::format("{}", fmt::join(titles_of(config), ", "))},
                             {"build", build.string()},
                             {"build_word", shell_word(build.string())},
                             {"kernelloop", shell_word(this_program().string())},
                             {"generated", config.generated_dir.string()},
                             {"reports", config.reports_dir.string()},
                             {"hints", config.hints.string()},
                             {"note", note}}));
}

}  // namespace

void add_guide_command(CLI::App& app) {
  const auto choice = std::make_shared<OpChoice>();
  CLI::App* command =
      app.add_subcommand("agent-guide", "Print how to drive the loop of an operator by hand");
  add_op_choice(*command, *choice);
  command->callback([choice] { print_guide(*choice); });
}

}  // namespace kernelloop
