// `kernelloop context <op> "query"`: what a model would get to see.
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "propose/reading_tool.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "context/context_reader.hpp"

#include <chrono>
#include <memory>

namespace kernelloop {
namespace {

struct ContextOptions {
  OpChoice choice;
  std::string query;
  int limit = ContextReader::k_hits;
  std::string read;
  std::string list;
  std::string grep;
};

// "file" or "file:12-34".
Reading read_range(ContextReader& reader, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  int first = 1;
  int last = 0;
  if (colon != std::string::npos) {
    try {
      std::size_t used = 0;
      const std::string range = text.substr(colon + 1);
      first = std::stoi(range, &used);
      last = used < range.size() && range[used] == '-' ? std::stoi(range.substr(used + 1)) : first;
    } catch (const std::exception&) {
      fail(ExitCode::usage, "'{}' is no range of lines; write file:12-34", text);
    }
  }
  return reader.read(text.substr(0, colon), first, last);
}

void show(const ContextOptions& options) {
  const OpConfig config = load_chosen(options.choice);
  ContextReader reader(config, config.versions + 1);
  const auto begin = std::chrono::steady_clock::now();
  const IndexUpdate update = reader.refresh();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print(stderr, "{}: {} files, {:.1f} MB; {} read now in {:.2f} s, {} left out{}\n", config.op,
             update.files, static_cast<double>(update.bytes) / 1e6, update.read, seconds.count(),
             update.skipped, update.full ? "; the caps are reached, name fewer directories" : "");
  Reading reading;
  if (!options.query.empty()) {
    reading = reader.search(options.query, options.limit);
  } else if (!options.grep.empty()) {
    reading = reader.grep(options.grep, "", false);
  } else if (!options.read.empty()) {
    reading = read_range(reader, options.read);
  } else {
    reading = reader.list(options.list);
  }
  fmt::print("{}{}", reading.text, reading.text.empty() || reading.text.back() == '\n' ? "" : "\n");
  if (reading.failed) throw Error(ExitCode::check_failed, "nothing to show");
}

}  // namespace

void add_context_command(CLI::App& app) {
  const auto options = std::make_shared<ContextOptions>();
  CLI::App* command = app.add_subcommand(
      "context", "Search what the model may read: CONTEXT, notes, earlier versions");
  command->add_option("op", options->choice.op, "operator");
  CLI::Option* query = command->add_option("query", options->query,
                                           "words to look for; without any, the top is listed");
  command->add_option("--build-dir", options->choice.build_dir, "build directory");
  command->add_option("--config", options->choice.config, "config.json of the operator");
  command->add_option("--limit", options->limit, "places to show")
      ->check(CLI::Range(1, ContextReader::k_most_hits));
  CLI::Option* read =
      command->add_option("--read", options->read, "show lines of a file: file:12-34");
  CLI::Option* list =
      command->add_option("--list", options->list, "show what stands in a directory");
  CLI::Option* grep =
      command->add_option("--grep", options->grep, "show lines that match a pattern");
  read->excludes(query, list, grep);
  list->excludes(query, grep);
  grep->excludes(query);
  command->callback([options] { show(*options); });
}

}  // namespace kernelloop
