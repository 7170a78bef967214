// A step as a bundle: made here, run anywhere, its result collected here (bundle/bundle.hpp).
#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/own_paths.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundle/bundle.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

struct BundleOptions {
  std::string directory;
  std::string result;
  std::string cache;
};

// The step's own words come after ours and are not ours to judge.
StepLine rest_of(const CLI::App& command) {
  std::vector<std::string> rest = command.remaining();
  if (rest.empty()) fail(ExitCode::usage, "{}: name a step and its options", command.get_name());
  return {rest.front(), {rest.begin() + 1, rest.end()}};
}

fs::path default_cache() {
  if (const std::optional<fs::path> cache = user_cache()) return *cache / "ceilings";
  fail(ExitCode::usage, "run: neither HOME nor XDG_CACHE_HOME is set; name --cache-dir");
}

void run_and_write(const BundleOptions& options) {
  const Bundle bundle = load_bundle(options.directory);
  const fs::path result =
      options.result.empty() ? bundle.directory / "result.json" : fs::path(options.result);
  const fs::path cache = options.cache.empty() ? default_cache() : fs::path(options.cache);
  write_file_atomic(result, to_text(run_bundle(bundle, this_program(), fs::absolute(cache))));
}

}  // namespace

void add_bundle_commands(CLI::App& app) {
  const auto making = std::make_shared<BundleOptions>();
  CLI::App* make = app.add_subcommand("bundle", "Make a step into a folder that runs anywhere");
  make->add_option("--into", making->directory, "where the folder goes")->required();
  make->prefix_command();
  make->callback([making, make] {
    fmt::print("{}\n", make_bundle(rest_of(*make), this_program(), making->directory).string());
  });

  const auto running = std::make_shared<BundleOptions>();
  CLI::App* run = app.add_subcommand("run", "Run a bundle and write its result");
  run->add_option("bundle", running->directory, "its folder")->required();
  run->add_option("--result", running->result, "file to write (default: result.json in it)");
  run->add_option("--cache-dir", running->cache, "keeps measured ceilings of this host");
  run->callback([running] { run_and_write(*running); });

  const auto collecting = std::make_shared<BundleOptions>();
  CLI::App* collect = app.add_subcommand(
      "collect", "Write what a bundle's step wrote to where it was asked for; exit as it did");
  collect->add_option("--bundle", collecting->directory, "its folder")->required();
  collect->add_option("--result", collecting->result, "its result.json")->required();
  collect->prefix_command();
  collect->callback([collecting, collect] {
    const int code = collect_result(load_bundle(collecting->directory),
                                    read_json(collecting->result), rest_of(*collect));
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace kernelloop
