// `kernelloop toolchain`: the compilers of the kernel languages besides CUDA C++.
#include "kernelloop/commands.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "languages/toolchain.hpp"

#include <cstdio>
#include <memory>
#include <string>

namespace kernelloop {
namespace {

void list() {
  for (const Language& language : all_languages()) {
    if (language.is_cuda()) continue;
    try {
      const Toolchain toolchain = find_toolchain(language);
      fmt::print("{}: {} ({})\n", language.name, fmt::join(toolchain.versions, ", "),
                 toolchain.python.string());
    } catch (const Error& error) {
      fmt::print("{}: {}\n", language.name, error.what());
    }
  }
}

void install(const std::string& name) {
  const Language& language = language_named(upper_case(name));
  if (language.is_cuda()) {
    fail(ExitCode::bad_input,
         "CUDA C++ is compiled by nvcc, of the CUDA toolkit; install that from NVIDIA or your "
         "distribution");
  }
  const Toolchain toolchain = install_toolchain(language);
  fmt::print("{}: {} ({})\n", language.name, fmt::join(toolchain.versions, ", "),
             toolchain.python.string());
}

}  // namespace

void add_toolchain_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("toolchain", "The compilers of the kernel languages besides CUDA C++");
  command->require_subcommand(1);
  command->add_subcommand("list", "Which are here, and how to get those that are not")
      ->callback(list);
  const auto name = std::make_shared<std::string>();
  CLI::App* installer = command->add_subcommand(
      "install", "Make an environment of its own for one, from the network (pip)");
  installer->add_option("language", *name, "for example triton")->required();
  installer->callback([name] { install(*name); });
}

}  // namespace kernelloop
