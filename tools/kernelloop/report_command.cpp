// `kernelloop report`: the versions of an operator as a table, as files, for nvbench's scripts.
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "report/latest.hpp"
#include "report/nvbench.hpp"
#include "report/report_files.hpp"
#include "report/table.hpp"
#include "support/depfile.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace kernelloop {
namespace {

struct ReportOptions {
  OpChoice choice;
  bool write = false;
  std::string stamp;
  std::string depfile;
  std::string nvbench;
  std::string version;
};

void write_and_say(const OpConfig& config, const ReportOptions& options) {
  const WrittenReports written = write_reports(config);
  if (const auto history = find_latest_history(config)) {
    fmt::print("{}", history_table(*history, config.rounds()));
  }
  std::string files;
  for (const auto& file : written.files) files += file.string() + "\n";
  for (const std::string& note : written.notes) fmt::print("{}\n", note);
  fmt::print("{}", files);
  if (!options.depfile.empty()) write_depfile(options.depfile, options.stamp, written.inputs);
  // Last, and always: newer than all that was read and written.
  if (!options.stamp.empty()) write_file_atomic(options.stamp, files);
}

// The version that was named, else the fastest of this build.
int version_for(const OpConfig& config, const std::string& name) {
  if (name.empty()) {
    const History history = latest_history(config);
    if (const VersionRecord* best = history.best()) return version_number(best->version);
    fail(ExitCode::bad_input, "{}: no version is verified and timed; build bench_{} first",
         config.op, config.op);
  }
  const int number = version_number(name);
  if (number == 0) fail(ExitCode::usage, "--version {}: a version is named v001, v002, ...", name);
  return number;
}

void report(const ReportOptions& options) {
  const OpConfig config = load_chosen(options.choice);
  if (!options.nvbench.empty()) {
    const int version = version_for(config, options.version);
    write_file_atomic(options.nvbench, to_text(nvbench_of(config, version)));
    fmt::print("{} {}: {}\n", config.op, version_name(version), options.nvbench);
  } else if (options.write) {
    write_and_say(config, options);
  } else {
    fmt::print("{}", history_table(latest_history(config), config.rounds()));
  }
}

}  // namespace

void add_report_command(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Show the versions of an operator as a table");
  add_op_choice(*command, options->choice);
  CLI::Option* write = command->add_flag("--write", options->write,
                                         "write the report for each device, and the index");
  CLI::Option* stamp =
      command->add_option("--stamp", options->stamp, "file that receives the names of the reports");
  stamp->needs(write);
  command->add_option("--depfile", options->depfile, "where to write what was read")->needs(stamp);
  CLI::Option* nvbench =
      command->add_option("--nvbench", options->nvbench,
                          "write the times of one version to this file, as nvbench would");
  nvbench->excludes(write);
  command->add_option("--version", options->version, "which version (default: the fastest)")
      ->needs(nvbench);
  command->callback([options] { report(*options); });
}

}  // namespace kernelloop
