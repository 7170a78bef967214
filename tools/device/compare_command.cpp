#include "bench/baselines.hpp"
#include "bench/rematch.hpp"
#include "device/commands.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <random>

namespace kernelloop {
namespace {

struct CompareOptions {
  std::string timing;
  std::string incumbent;
  std::string baseline;
  std::string challenger;
  std::string device;
  std::uint64_t seed = 0;
  std::string output;
};

void compare_and_write(const CompareOptions& options) {
  const OpSpec spec = parse_op_spec(read_json(options.timing));
  RematchRequest request;
  request.spec = &spec;
  WorkerDevice device(options.device);
  CompiledVersion incumbent;
  if (options.baseline.empty()) {
    incumbent = load_compiled_version(options.incumbent, spec, options.device);
    request.incumbent = contestant_of(incumbent, spec, device.device());
  } else {
    request.incumbent =
        baseline_contestant(baseline_name(options.baseline), options.baseline, spec);
  }
  const CompiledVersion challenger =
      load_compiled_version(options.challenger, spec, options.device);
  request.challenger = contestant_of(challenger, spec, device.device());
  request.device = options.device;
  request.seed = options.seed != 0 ? options.seed : std::random_device()();
  const Json report = rematch(request, device);
  if (!options.output.empty()) {
    write_file_atomic(options.output, to_text(report));
  }
  fmt::print("{}\n", rematch_line(report));
}

}  // namespace

void add_compare_command(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Time a version against another or a baseline, sample by sample");
  command->add_option("--timing", options->timing, "timing.json of the op")->required();
  CLI::Option_group* one = command->add_option_group("incumbent", "what is compared with");
  one->add_option("--incumbent", options->incumbent, "compile.json of the one");
  one->add_option("--baseline", options->baseline, "library of a baseline in its place");
  one->require_option(1);
  command->add_option("--challenger", options->challenger, "compile.json of the other")->required();
  command->add_option("--device", options->device, "cuda or cpu")
      ->required()
      ->check(CLI::IsMember({"cuda", "cpu"}));
  command->add_option("--seed", options->seed, "of inputs and bootstrap; 0: a fresh one");
  command->add_option("--output", options->output, "compare.json to write");
  command->callback([options] { compare_and_write(*options); });
}

}  // namespace kernelloop
