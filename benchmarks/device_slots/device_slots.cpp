// How well steps fill the GPUs of a host: Ninja runs steps of a known length on simulated devices.
//
//   device_slots [--steps 64] [--devices 4] [--seconds 0.5]
//
// Each step takes a device that is free, as a step of kernelloop-device does, keeps it for half to
// one and a half times the seconds, drawn from a fixed seed, and writes down from when to when.
// Ninja's pool is as deep as there are devices. Prints the wall time, the ideal time (that of all
// steps together, divided by the number of devices) and their ratio, from one run. Exit code 1 when
// two steps had one device at the same time.
#include "device/device_lock.hpp"
#include "support/error.hpp"
#include "support/own_paths.hpp"
#include "support/process.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<std::string> device_names(int devices) {
  std::vector<std::string> names;
  for (int i = 0; i < devices; ++i) names.push_back(fmt::format("device-{}", i));
  return names;
}

void take_a_step(int devices, double seconds, const fs::path& record) {
  const auto lease = lease_one_of(device_names(devices));
  const double from = now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  write_file_atomic(record, fmt::format("{} {:.6f} {:.6f}\n", lease->uuid, from, now()));
}

struct Record {
  std::string device;
  double from = 0;
  double to = 0;
};

// How often a step began on a device before the one before it had ended.
int overlaps(std::vector<Record> records) {
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return a.from < b.from; });
  std::map<std::string, double> last;
  int count = 0;
  for (const Record& record : records) {
    count += record.from < last[record.device] ? 1 : 0;
    last[record.device] = record.to;
  }
  return count;
}

int measure(int steps, int devices, double seconds) {
  const TemporaryDirectory work;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> factor(0.5, 1.5);
  double sum = 0;
  std::string graph = fmt::format(
      "pool devices\n  depth = {}\nrule step\n  command = env KERNELLOOP_LOCK_DIR={} {} --devices "
      "{} "
      "--step $seconds --record $out 2>/dev/null\n  pool = devices\n",
      devices, (work.path() / "locks").string(), this_program().string(), devices);
  for (int i = 0; i < steps; ++i) {
    const double length = seconds * factor(random);
    sum += length;
    graph += fmt::format("build step-{}: step\n  seconds = {:.4f}\n", i, length);
  }
  write_file_atomic(work.path() / "build.ninja", graph);
  Command command;
  command.arguments = {"ninja", "-C", work.path().string(), "-j", std::to_string(4 * devices)};
  command.timeout = std::chrono::hours(1);
  const double begin = now();
  const ProcessResult result = run(command);
  const double wall = now() - begin;
  if (!result.succeeded()) fail(ExitCode::environment, "ninja failed: {}", result.output);
  std::vector<Record> records;
  for (int i = 0; i < steps; ++i) {
    Record record;
    std::ifstream file(work.path() / fmt::format("step-{}", i));
    file >> record.device >> record.from >> record.to;
    records.push_back(record);
  }
  const double ideal = sum / devices;
  const int at_once = overlaps(records);
  fmt::print("{} steps on {} devices: {:.2f} s, ideal {:.2f} s, ratio {:.3f}, {} overlaps\n", steps,
             devices, wall, ideal, wall / ideal, at_once);
  return at_once == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  CLI::App app("How well steps fill the GPUs of a host", "device_slots");
  int steps = 64;
  int devices = 4;
  double seconds = 0.5;
  double step = 0;
  std::string record;
  app.add_option("--steps", steps)->check(CLI::PositiveNumber);
  app.add_option("--devices", devices)->check(CLI::PositiveNumber);
  app.add_option("--seconds", seconds)->check(CLI::PositiveNumber);
  auto* one = app.add_option("--step", step)->group("");
  app.add_option("--record", record)->group("");
  CLI11_PARSE(app, argc, argv);
  try {
    if (one->count() == 0) return kernelloop::measure(steps, devices, seconds);
    kernelloop::take_a_step(devices, step, record);
    return 0;
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "device_slots: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
