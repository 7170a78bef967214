// `kernelloop steer <op>`: where the next proposal starts, and which versions are out.
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "kernelloop/resume.hpp"
#include "loop/steering.hpp"
#include "support/error.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "languages/version_source.hpp"

#include <memory>

namespace kernelloop {
namespace {

struct SteerOptions {
  OpChoice choice;
  std::string fork;
  bool unfork = false;
  std::string pin;
  bool unpin = false;
  std::string reject;
  std::string reason;
  std::string accept;
};

// The version, which must exist.
std::string existing(const OpConfig& config, const std::string& name) {
  const int number = version_number(name);
  if (number == 0) fail(ExitCode::usage, "'{}' is no version; write v001, v002, ...", name);
  if (!std::filesystem::exists(version_source(config.version_dir(number)))) {
    fail(ExitCode::bad_input, "{}: there is no version {} in {}", config.op, name,
         (config.generated_dir / config.op).string());
  }
  return name;
}

int next_version(const OpConfig& config) {
  int number = 1;
  while (std::filesystem::exists(version_source(config.version_dir(number)))) ++number;
  return number;
}

bool change(const OpConfig& config, const SteerOptions& options, Steering& steering) {
  const Steering before = steering;
  if (!options.fork.empty()) {
    steering.fork_parent = existing(config, options.fork);
    steering.fork_version = version_name(next_version(config));
  }
  if (options.unfork) {
    steering.fork_parent.clear();
    steering.fork_version.clear();
  }
  if (!options.pin.empty()) steering.pin = existing(config, options.pin);
  if (options.unpin) steering.pin.clear();
  if (!options.reject.empty()) {
    if (options.reason.empty()) {
      fail(ExitCode::usage, "say why with --reason: the next proposal reads it");
    }
    steering.rejected[existing(config, options.reject)] = options.reason;
  }
  if (!options.accept.empty() && steering.rejected.erase(options.accept) == 0) {
    fail(ExitCode::usage, "{}: {} is not rejected", config.op, options.accept);
  }
  for (const std::string& parent : {steering.pin, steering.fork_parent}) {
    if (!steering.rejected.contains(parent)) continue;
    fail(ExitCode::usage,
         "{}: {} cannot be rejected and be where proposals start; add --{}, or --accept {}",
         config.op, parent, parent == steering.pin ? "unpin" : "unfork", parent);
  }
  return before.pin != steering.pin || before.fork_parent != steering.fork_parent ||
         before.fork_version != steering.fork_version || before.rejected != steering.rejected;
}

void show(const OpConfig& config, const Steering& steering) {
  if (steering.empty()) fmt::print("{}: nothing is steered\n", config.op);
  if (!steering.pin.empty()) {
    fmt::print("{}: every proposal starts from {}\n", config.op, steering.pin);
  }
  if (!steering.fork_parent.empty()) {
    fmt::print("{}: the round of {} starts from {}\n", config.op, steering.fork_version,
               steering.fork_parent);
  }
  for (const auto& [version, reason] : steering.rejected) {
    fmt::print("{}: {} is rejected: {}\n", config.op, version, reason);
  }
}

void steer(const SteerOptions& options) {
  const OpConfig config = load_chosen(options.choice);
  Steering steering = load_steering(config);
  if (change(config, options, steering)) {
    save_steering(config, steering);
    touch_resume(config);
    if (!options.fork.empty() && next_version(config) > config.versions) {
      fmt::print("{}: all {} versions are there; raise VERSIONS for {}\n", config.op,
                 config.versions, steering.fork_version);
    }
  }
  show(config, steering);
}

}  // namespace

void add_steer_command(CLI::App& app) {
  const auto options = std::make_shared<SteerOptions>();
  CLI::App* command = app.add_subcommand(
      "steer", "Say where proposals start and which versions are out; without options, show it");
  add_op_choice(*command, options->choice);
  CLI::Option* fork =
      command->add_option("--fork", options->fork, "the next round starts from this version");
  command->add_flag("--unfork", options->unfork, "it does not")->excludes(fork);
  CLI::Option* pin =
      command->add_option("--pin", options->pin, "every proposal starts from this version");
  command->add_flag("--unpin", options->unpin, "no longer")->excludes(pin);
  command->add_option("--reject", options->reject, "this version is out: not best, no parent");
  command->add_option("--reason", options->reason, "why, for the next proposal");
  command->add_option("--accept", options->accept, "takes a rejection back");
  command->callback([options] { steer(*options); });
}

}  // namespace kernelloop
