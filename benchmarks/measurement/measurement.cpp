// Prints how far measured times can be believed, on a machine with a GPU:
//
//   measurement times                       cold medians beside those of an independent program
//   measurement comparisons <count>         a kernel against itself: verdicts, which should be SAME
//   measurement comparisons <count> --slower <thousandths>
//                                           against one with so much more work: should be SLOWER
//   measurement bytes                       counted bytes of a copy beside those that it must move
//
// --copy compares a kernel that the memory bounds instead of one that arithmetic does.
#include "bench/measured_workload.hpp"
#include "bench/rematch.hpp"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/statistics.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "busy_op.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

namespace kernelloop {
namespace {

constexpr std::int64_t k_elements = std::int64_t{132} * 2048;  // a full wave of a large GPU
constexpr int k_first_guess = 2000;                            // rounds
constexpr int k_comparisons_per_process = 20;
// A process keeps its pages, and what they cost, for all its samples: 0.5 us in 24 between one and
// the next of either program.
constexpr int k_processes = 15;

double cold_median(WorkerDevice& device, int module, const WorkloadCase& one, int rounds) {
  TimeRequest timing;
  for (const TensorArena& set : one.sets) timing.sets.push_back(&set);
  const Contestant contestant = busy_contestant("busy", "busy", rounds);
  timing.variants = {
      {module, std::get<ResolvedPlan>(contestant.plan(one, device.device().limits))}};
  timing.stop = stopping_rule("cuda");
  const TimeResult result = device.time(timing);
  if (result.fault) fail(ExitCode::environment, "{}", result.fault.message);
  return median(counted_times(result.samples.front()));
}

// Of one process of ours, for each number of rounds.
std::map<int, double> own_medians(const OpSpec& spec, const std::vector<int>& rounds) {
  WorkerDevice device("cuda", MEASUREMENT_DEVICE_PROGRAM);
  const int module = device.load(busy_contestant("busy", "busy", 0).artifact);
  const WorkloadCase one = prepare_workload(spec, spec.workloads.front(), "cuda", 1);
  std::map<int, double> medians;
  for (const int number : rounds) medians[number] = cold_median(device, module, one, number);
  return medians;
}

std::map<int, double> independent_medians(const std::vector<int>& rounds) {
  Command command;
  command.arguments = {MEASUREMENT_INDEPENDENT, std::to_string(k_elements)};
  for (const int one : rounds) command.arguments.push_back(std::to_string(one));
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    fail(ExitCode::environment, "{} {}: {}", MEASUREMENT_INDEPENDENT, result.describe(),
         result.error_output);
  }
  std::map<int, double> medians;
  std::istringstream lines(result.output);
  int of = 0;
  double us = 0;
  while (lines >> of >> us) medians[of] = us;
  return medians;
}

// Those that take about 2, 20, 200 and 2000 us.
std::vector<int> rounds_to_time(const OpSpec& spec) {
  const auto guess = own_medians(spec, {0, k_first_guess});
  const double per_round = (guess.at(k_first_guess) - guess.at(0)) / k_first_guess;
  std::vector<int> rounds;
  for (const double target : {2.0, 20.0, 200.0, 2000.0}) {
    rounds.push_back(std::max(1, static_cast<int>(target / per_round)));
  }
  return rounds;
}

void print_times() {
  const OpSpec spec = busy_spec(k_elements);
  const std::vector<int> rounds = rounds_to_time(spec);
  std::map<int, std::vector<double>> ours;
  std::map<int, std::vector<double>> others;
  for (int process = 0; process < k_processes; ++process) {
    for (const auto& [number, us] : own_medians(spec, rounds)) ours[number].push_back(us);
    for (const auto& [number, us] : independent_medians(rounds)) others[number].push_back(us);
  }
  fmt::print("medians of the cold medians of {} processes each, by turns, and their range\n",
             k_processes);
  fmt::print("{:>10} {:>12} {:>16} {:>12} {:>9} {:>20} {:>20}\n", "rounds", "ours (us)",
             "independent (us)", "difference", "ratio", "ours", "independent");
  const auto range = [](const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return fmt::format("{:.3f} to {:.3f}", *low, *high);
  };
  for (const int one : rounds) {
    const double mine = median(ours.at(one));
    const double theirs = median(others.at(one));
    fmt::print("{:>10} {:>12.3f} {:>16.3f} {:>12.3f} {:>9.4f} {:>20} {:>20}\n", one, mine, theirs,
               mine - theirs, mine / theirs, range(ours.at(one)), range(others.at(one)));
  }
}

void print_comparisons(int count, int slower, bool copies) {
  // About 200 us each on an H200.
  const std::int64_t elements = copies ? 100 << 20 : k_elements;
  const OpSpec spec = busy_spec(elements);
  const std::string kernel = copies ? "copy" : "busy";
  const int work = copies ? 1000 : 25000;
  std::map<std::string, int> verdicts;
  std::vector<double> ratios;
  std::vector<double> floors;
  std::optional<WorkerDevice> device;
  double us = 0;
  for (int i = 0; i < count; ++i) {
    if (i % k_comparisons_per_process == 0) device.emplace("cuda", MEASUREMENT_DEVICE_PROGRAM);
    RematchRequest request;
    request.spec = &spec;
    request.incumbent = busy_contestant("incumbent", kernel, work);
    request.challenger = busy_contestant("challenger", kernel, work + work * slower / 1000);
    request.device = "cuda";
    request.seed = static_cast<std::uint64_t>(i) + 1;
    const Json report = rematch(request, *device);
    if (report.at("status") != "compared") {
      fail(ExitCode::environment, "{}", report.at("reason").get<std::string>());
    }
    ++verdicts[report.at("verdict").get<std::string>()];
    ratios.push_back(report.at("ratio").get<double>());
    floors.push_back(report.at("noise_floor").get<double>());
    us = report.at("workloads").at(0).at("incumbent_us").get<double>();
  }
  fmt::print("{} comparisons of kernel {} ({:.1f} us), {:.1f} % more work:", count, kernel, us,
             0.1 * slower);
  for (const auto& [verdict, times] : verdicts) fmt::print(" {} {}", verdict, times);
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print("; ratio median {:.4f}, {:.4f} to {:.4f}; noise floor median {:.4f}, at most {:.4f}\n",
             median(ratios), *low, *high, median(floors),
             *std::max_element(floors.begin(), floors.end()));
}

// The cold copy of 1 GiB, counted by CUPTI. What L2 can keep of the output need not be written yet
// when the count ends.
void print_bytes() {
  constexpr std::int64_t k_copied = std::int64_t{1} << 30;
  const OpSpec spec = busy_spec(k_copied / 4);
  WorkerDevice device("cuda", MEASUREMENT_DEVICE_PROGRAM);
  const Contestant contestant = busy_contestant("copy", "copy", 1000);
  const int module = device.load(contestant.artifact);
  const WorkloadCase one = prepare_workload(spec, spec.workloads.front(), "cuda", 1);
  RunRequest request;
  request.arena = &one.sets.front();
  request.plan = std::get<ResolvedPlan>(contestant.plan(one, device.device().limits));
  request.count = {"dram__bytes_read.sum", "dram__bytes_write.sum"};
  request.outputs = false;
  const RunResult result = device.run(request, module);
  if (result.fault) fail(ExitCode::environment, "{}", result.fault.message);
  if (result.counters.values.empty()) fail(ExitCode::environment, "{}", result.counters.reason);
  for (const std::string& metric : request.count) {
    const double counted = result.counters.values.at(metric);
    fmt::print("{:<22} {:>13.0f} of {} bytes, {:.4f}\n", metric, counted, k_copied,
               counted / static_cast<double>(k_copied));
  }
  fmt::print("L2 holds {:.4f} of that\n",
             static_cast<double>(device.device().l2_bytes) / static_cast<double>(k_copied));
}

int run_command(int argc, char** argv) {
  CLI::App app("How far measured times can be believed");
  app.require_subcommand(1);
  app.add_subcommand("times", "Beside an independent program")->callback(print_times);
  int count = 0;
  int slower = 0;
  bool copies = false;
  CLI::App* comparisons = app.add_subcommand("comparisons", "Of a kernel with itself");
  comparisons->add_option("count", count, "how many")->required()->check(CLI::PositiveNumber);
  comparisons->add_option("--slower", slower, "thousandths of more work in the challenger");
  comparisons->add_flag("--copy", copies, "a kernel that memory bounds");
  comparisons->callback([&] { print_comparisons(count, slower, copies); });
  app.add_subcommand("bytes", "Counted of a copy")->callback(print_bytes);
  CLI11_PARSE(app, argc, argv);
  return 0;
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  try {
    return kernelloop::run_command(argc, argv);
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "measurement: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
