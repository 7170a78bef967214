#include "bench/baselines.hpp"
#include "bench/reference_judge.hpp"
#include "bench/rules.hpp"
#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <random>

namespace kernelloop {
namespace {

struct BaselinesOptions {
  std::string timing;
  std::string reference;
  std::string device;
  int rules = 0;
  std::string cache_dir;
  std::vector<std::string> libraries;
  std::string output;
};

void time_and_write(const BaselinesOptions& options) {
  require_measurement_rules(options.rules);
  const OpSpec spec = parse_op_spec(read_json(options.timing));
  BaselinesRequest request;
  request.spec = &spec;
  request.libraries.assign(options.libraries.begin(), options.libraries.end());
  request.device = options.device;
  request.cache_dir = options.cache_dir;
  request.seed = std::random_device()();
  request.judge = reference_judge(spec, options.reference);
  WorkerDevice device(options.device);
  const Json report = bench_baselines(request, device);
  write_file_if_changed(options.output, to_text(report));
  fmt::print("{}", baselines_text(report));
}

}  // namespace

void add_baselines_command(CLI::App& app) {
  const auto options = std::make_shared<BaselinesOptions>();
  CLI::App* command = app.add_subcommand("baselines", "Check and time the baselines of an op");
  command->add_option("--timing", options->timing, "timing.json of the op")->required();
  command->add_option("--reference", options->reference, "library of the reference")->required();
  command->add_option("--device", options->device, "cuda or cpu")
      ->required()
      ->check(CLI::IsMember({"cuda", "cpu"}));
  command->add_option("--rules", options->rules, "number of the measurement rules")->required();
  command->add_option("--cache-dir", options->cache_dir, "keeps measured ceilings")->required();
  command->add_option("--library", options->libraries, "library of a baseline; may be repeated")
      ->required();
  command->add_option("--output", options->output, "baselines.json to write")->required();
  command->callback([options] { time_and_write(*options); });
}

}  // namespace kernelloop
