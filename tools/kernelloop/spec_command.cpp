#include "config/op_config.hpp"
#include "kernelloop/commands.hpp"
#include "spec/op_spec.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace kernelloop {
namespace {

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string summary(const OpSpec& spec, const std::string& device) {
  std::size_t shapes = spec.ladder.holdout.size();
  for (const auto& [rung, extra] : spec.ladder.shapes) shapes += extra.size();
  return fmt::format(
      "{}, {}, {}; {} ({} for {}), {}",
      fmt::format("{} {}", spec.axes.size(), spec.axes.size() == 1 ? "axis" : "axes"),
      counted(spec.inputs.size(), "input"), counted(spec.outputs.size(), "output"),
      counted(spec.workloads.size(), "workload"), spec.workloads_for(device).size(), device,
      counted(shapes, "extra shape"));
}

void write_parts(const OpConfig& config) {
  const JsonDocument document = read_json(config.spec);
  const OpSpec spec = parse_op_spec(document);
  if (spec.name != config.op) {
    fail(ExitCode::bad_input,
         "{}: the spec is that of `{}`, add_kernel_op says `{}`; make them agree",
         document.where("/name"), spec.name, config.op);
  }
  require_servable(document, spec);
  const SpecParts parts = split_spec(document);
  std::string changed;
  const auto write = [&](const char* name, const Json& part) {
    if (!write_file_if_changed(config.build_dir / name, to_text(part))) return;
    changed += (changed.empty() ? "" : ", ") + std::string(name);
  };
  write("contract.json", parts.contract);
  write("checks.json", parts.checks);
  write("timing.json", parts.timing);
  fmt::print("{}: {}; {}\n", config.op, summary(spec, config.device),
             changed.empty() ? "nothing changed" : "wrote " + changed);
}

}  // namespace

void add_spec_command(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("spec", "Check an op spec and split it into what the steps depend on");
  command->add_option("--config", *path, "config.json of the op")->required();
  command->callback([path] { write_parts(load_config(*path)); });
}

}  // namespace kernelloop
