#include "bench/bench.hpp"
#include "bench/reference_judge.hpp"
#include "bench/rules.hpp"
#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <random>

namespace kernelloop {
namespace {

struct BenchOptions {
  std::string contract;
  std::string timing;
  std::string compiled;
  std::string verified;
  std::string reference;
  std::string device;
  int rules = 0;
  std::string cache_dir;
  std::string output;
};

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

void bench_and_write(const BenchOptions& options) {
  require_measurement_rules(options.rules);
  const OpSpec spec = parse_op_spec(read_json(options.timing));
  BenchRequest request;
  request.spec = &spec;
  request.compiled = load_compiled_version(options.compiled, spec, options.device);
  request.verified = read_json(options.verified).value;
  request.device = options.device;
  request.cache_dir = options.cache_dir;
  request.seed = fresh_seed();
  request.judge = reference_judge(spec, options.reference);
  WorkerDevice device(options.device);
  const BenchReport report = bench(request, device);
  const std::filesystem::path output(options.output);
  // The raw samples first: bench.json is what Ninja waits for.
  write_file_if_changed(output.parent_path() / "samples.json", to_text(report.samples));
  write_file_if_changed(output, to_text(report.bench));
  fmt::print("{}\n", summary_line(report.bench));
}

}  // namespace

void add_bench_command(CLI::App& app) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Time a verified version");
  command->add_option("--contract", options->contract, "contract.json of the op")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--timing", options->timing, "timing.json of the op")->required();
  command->add_option("--compiled", options->compiled, "compile.json of the version")->required();
  command->add_option("--verified", options->verified, "verify.json of the version")->required();
  command->add_option("--reference", options->reference, "library of the reference")->required();
  command->add_option("--device", options->device, "cuda or cpu")
      ->required()
      ->check(CLI::IsMember({"cuda", "cpu"}));
  command->add_option("--rules", options->rules, "number of the measurement rules")->required();
  command->add_option("--cache-dir", options->cache_dir, "keeps measured ceilings")->required();
  command->add_option("--output", options->output, "bench.json to write")->required();
  command->callback([options] { bench_and_write(*options); });
}

}  // namespace kernelloop
