// `kernelloop status`: all operators of a build directory; `kernelloop watch`: one that is running.
#include "config/find_config.hpp"
#include "kernelloop/commands.hpp"
#include "kernelloop/op_choice.hpp"
#include "report/progress.hpp"
#include "report/status.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

namespace kernelloop {
namespace {

struct StatusOptions {
  OpChoice choice;
  bool json = false;
};

void show_status(const StatusOptions& options) {
  std::vector<OpStatus> all;
  if (!options.choice.op.empty() || !options.choice.config.empty()) {
    all.push_back(status_of(load_chosen(options.choice)));
  } else {
    const std::filesystem::path build_dir = choose_build_dir(options.choice.build_dir);
    for (const std::filesystem::path& path : require_configs(build_dir)) {
      all.push_back(status_of(load_config(path)));
    }
  }
  if (!options.json) {
    fmt::print("{}", status_table(all));
    return;
  }
  Json ops = Json::array();
  for (const OpStatus& one : all) ops.push_back(to_json(one));
  fmt::print("{}", to_text({{"schema_version", 1}, {"ops", ops}}));
}

struct WatchOptions {
  OpChoice choice;
  int interval_ms = 500;
};

// One line at the bottom of a terminal that is written over; nothing where output goes elsewhere.
class LiveLine {
 public:
  void write(const std::string& text) {
    if (!is_terminal_) return;
    fmt::print("\r\x1b[K{}", text);
    std::fflush(stdout);
  }
  void clear() { write(""); }

 private:
  bool is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
};

std::string live_text(const OpStatus& status, std::chrono::seconds since) {
  return fmt::format("{}: {} for {} s; best {} {}; {} of {} versions; cost {}", status.op,
                     state_text(status), since.count(), status.best.empty() ? "none" : status.best,
                     best_text(status), status.versions, status.most_versions, cost_text(status));
}

void watch(const WatchOptions& options) {
  using Clock = std::chrono::steady_clock;
  const OpConfig config = load_chosen(options.choice);
  Progress progress(config);
  LiveLine live;
  std::string state;
  Clock::time_point since = Clock::now();
  while (true) {
    // Before the news, so that what a finished loop has written is told of.
    const OpStatus status = status_of(config);
    const std::vector<std::string> news = progress.news();
    if (!news.empty()) live.clear();
    for (const std::string& line : news) fmt::print("{} {}\n", config.op, line);
    if (state_text(status) != state) {
      state = state_text(status);
      since = Clock::now();
      live.clear();
      // Which step is under way shows in the live line; a person who is waited for needs the path.
      if (status.is_over() || status.state == LoopState::waiting) {
        fmt::print("{}: {}\n", config.op, state);
      }
    }
    if (status.is_over()) {
      fmt::print("{}: best {} {}; cost {}\n", config.op, status.best.empty() ? "none" : status.best,
                 best_text(status), cost_text(status));
      return;
    }
    std::fflush(stdout);
    live.write(
        live_text(status, std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - since)));
    std::this_thread::sleep_for(std::chrono::milliseconds(options.interval_ms));
  }
}

}  // namespace

void add_status_command(CLI::App& app) {
  const auto options = std::make_shared<StatusOptions>();
  CLI::App* command = app.add_subcommand("status", "Show where the loops of all operators stand");
  add_op_choice(*command, options->choice);
  command->add_flag("--json", options->json, "for programs (docs/formats.md)");
  command->callback([options] { show_status(*options); });
}

void add_watch_command(CLI::App& app) {
  const auto options = std::make_shared<WatchOptions>();
  CLI::App* command = app.add_subcommand("watch", "Follow the loop of an operator until it stops");
  add_op_choice(*command, options->choice);
  command->add_option("--interval", options->interval_ms, "milliseconds between two looks")
      ->check(CLI::Range(10, 60'000));
  command->callback([options] { watch(*options); });
}

}  // namespace kernelloop
