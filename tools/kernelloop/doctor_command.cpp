// `kernelloop doctor`: what this machine has for a loop, and what it lacks.
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "support/error.hpp"
#include "support/own_paths.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "doctor/doctor.hpp"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

struct DoctorOptions {
  OpChoice choice;
  std::string ask;
  std::string model;
  bool json = false;
};

void examine(const DoctorOptions& options) {
  Surroundings machine;
  std::filesystem::path generated_dir;
  if (!options.choice.op.empty() || !options.choice.config.empty()) {
    const OpConfig config = load_chosen(options.choice);
    machine.device_tool = config.device_tool;
    machine.nvcc = config.nvcc;
    machine.host_compiler = config.host_compiler;
    generated_dir = config.generated_dir;
  } else {
    const std::filesystem::path beside = this_program().parent_path() / "kernelloop-device";
    if (std::filesystem::exists(beside)) machine.device_tool = beside;
  }
  std::vector<Finding> findings;
  for (const auto& check : {check_compilers, check_device, check_providers}) {
    for (Finding& finding : check(machine)) findings.push_back(std::move(finding));
  }
  const bool asked = !options.ask.empty();
  if (asked) findings.push_back(ask_once(options.ask, options.model, generated_dir));
  fmt::print("{}", options.json ? to_text(to_json(findings)) : to_text(findings));
  if (asked && findings.back().level != Finding::Level::ok) {
    fail(ExitCode::provider, "{} does not answer", options.ask);
  }
  if (worst(findings) == Finding::Level::broken) {
    fail(ExitCode::environment, "something that a loop needs is missing or set up wrongly");
  }
}

}  // namespace

void add_doctor_command(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "Say what this machine has for a loop, and what it lacks");
  add_op_choice(*command, options->choice);
  CLI::Option* ask = command->add_option(
      "--ask", options->ask, "send this provider the smallest request; it costs a few tokens");
  command->add_option("--model", options->model, "which model to ask")->needs(ask);
  command->add_flag("--json", options->json, "for programs (docs/formats.md)");
  command->callback([options] { examine(*options); });
}

}  // namespace kernelloop
