#include "product/fleet.hpp"

#include "bench/rules.hpp"
#include "product/candidate.hpp"
#include "product/device_step.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"
#include "support/process.hpp"
#include "support/version.hpp"
#include "verify/rules.hpp"

#include <fmt/format.h>

namespace kernelloop {
namespace {

constexpr std::chrono::hours k_fleet_timeout{12};  // it may wait in a queue

// Whether the class has said about this source, by today's rules, all that it can.
bool is_judged(const OpConfig& seen, int version, const std::string& source_sha256) {
  const auto folder = seen.results_dir(version);
  const Json verified = read_json_if_there(folder / "verify.json");
  const Json measured = read_json_if_there(folder / "bench.json");
  if (text_member(verified, "source_sha256") != source_sha256) return false;
  if (!verified.is_object() || verified.value("rules", 0) != k_verification_rules) return false;
  return measured.is_object() && measured.value("rules", 0) == k_measurement_rules;
}

std::string judgement(const OpConfig& seen, int version) {
  const Examined examined = examine(seen, version);
  if (!examined.candidate) return fmt::format("{} {}", examined.version, examined.reason);
  const Candidate& candidate = *examined.candidate;
  if (!candidate.architecture.empty() && candidate.architecture != seen.device_class) {
    fail(ExitCode::environment,
         "{}: the launcher for {} led to {}, which runs what is compiled for {}; correct "
         "KERNELLOOP_DEVICE_LAUNCHER_{}",
         seen.op, seen.device_class, candidate.device_name, candidate.architecture,
         seen.device_class);
  }
  return fmt::format("{} {:.1f} µs on {}", examined.version, candidate.time_us,
                     candidate.device_name);
}

}  // namespace

OpConfig for_class(const OpConfig& config, const std::string& architecture) {
  const auto found = config.fleet.find(architecture);
  if (found == config.fleet.end()) {
    fail(ExitCode::usage,
         "{}: no launcher is set for devices of class {}; set KERNELLOOP_DEVICE_LAUNCHER_{}",
         config.op, architecture, architecture);
  }
  OpConfig seen = config;
  seen.device_launcher = found->second;
  seen.device_class = architecture;
  return seen;
}

std::vector<std::string> judge_on_class(const OpConfig& config, const std::string& architecture,
                                        const FleetStep& run_step) {
  const OpConfig seen = for_class(config, architecture);
  std::vector<std::string> lines;
  for (const Examined& one : examine_all(config)) {
    if (!one.candidate) continue;
    const int version = one.candidate->number;
    if (!is_judged(seen, version, one.candidate->source_sha256)) {
      std::filesystem::create_directories(seen.results_dir(version));
      run_step(seen, "verify", version);
      run_step(seen, "bench", version);
    }
    lines.push_back(fmt::format("{} on {}: {}", config.op, architecture, judgement(seen, version)));
  }
  return lines;
}

FleetStep device_fleet_step() {
  return [](const OpConfig& seen, const std::string& step, int version) {
    const auto file = [](const std::filesystem::path& path) { return path.string(); };
    const auto results = seen.results_dir(version);
    const bool timed = step == "bench";
    std::vector<std::string> options{
        "--contract",  file(seen.build_dir / "contract.json"),
        "--compiled",  file(seen.step_dir(version) / "compile.json"),
        "--reference", file(seen.reference_library),
        "--device",    seen.device,
        "--rules",     std::to_string(timed ? k_measurement_rules : k_verification_rules),
        "--output",    file(results / (step + ".json"))};
    const std::vector<std::string> more =
        timed ? std::vector<std::string>{"--timing",
                                         file(seen.build_dir / "timing.json"),
                                         "--verified",
                                         file(results / "verify.json"),
                                         "--cache-dir",
                                         file(seen.build_dir.parent_path() / "ceilings")}
              : std::vector<std::string>{"--checks", file(seen.build_dir / "checks.json")};
    options.insert(options.end(), more.begin(), more.end());
    Command command;
    command.arguments = device_step(seen, step, options);
    command.timeout = k_fleet_timeout;
    const ProcessResult result = run(command);
    if (result.succeeded()) return;
    const bool said = result.signal == 0 && !result.timed_out && result.exit_code > 1;
    fail(said ? static_cast<ExitCode>(result.exit_code) : ExitCode::environment,
         "{} {}: {} on a device of class {} was not run ({}): {}", seen.op, version_name(version),
         step, seen.device_class, result.describe(),
         result.error_output.substr(0, result.error_output.find('\n')));
  };
}

}  // namespace kernelloop
