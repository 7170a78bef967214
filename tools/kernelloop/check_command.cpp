// The CTest side of an operator: one rung, or the performance gate, of the version that ships.
#include "bench/rules.hpp"
#include "compile/compile.hpp"
#include "config/gpu_slot.hpp"
#include "config/op_config.hpp"
#include "kernelloop/commands.hpp"
#include "kernelloop/compile_request.hpp"
#include "product/device_step.hpp"
#include "propose/user_config.hpp"
#include "spec/op_spec.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"
#include "support/process.hpp"
#include "support/version.hpp"
#include "verify/rules.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "languages/version_source.hpp"
#include <kernelloop/cpu/abi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// Slower than the adopted time by more than this fails the gate: well above the run-to-run noise of
// one device, well below a change of algorithm.
constexpr double k_allowed_slowdown = 1.10;

struct CheckOptions {
  std::string config;
  std::string rung;
  bool performance = false;
  int verification_rules = k_verification_rules;
  int measurement_rules = k_measurement_rules;
};

struct Adopted {
  std::string version;
  std::string device;
  double time_us = 0.0;
};

[[noreturn]] void skip(const std::string& reason) {
  throw Error(ExitCode::skipped, "skipped: " + reason);
}

Adopted adopted_version(const OpConfig& config) {
  const fs::path file = config.adopted_file();
  if (!fs::exists(file)) {
    skip(fmt::format("{} has no adopted version yet; build optimize_{}, then adopt_{}", config.op,
                     config.op, config.op));
  }
  const JsonDocument document = read_json(file);
  try {
    const Json& architectures = document.value.at("architectures");
    const std::string wanted = config.architectures.empty() ? "90a" : config.architectures.front();
    const Json entry = architectures.contains(wanted) ? architectures.at(wanted)
                                                      : architectures.items().begin().value();
    return {entry.at("version"), entry.at("device").at("name"), entry.at("time_us")};
  } catch (const Json::exception& error) {
    fail(ExitCode::bad_input, "{}: not an adoption record ({}); build adopt_{} again",
         file.string(), error.what(), config.op);
  }
}

// Compiles the adopted version beside the loop's own files, once for all tests of the operator.
// Tests share what is compiled; only who compiles it has it alone.
class TestBed {
 public:
  TestBed(const OpConfig& config, const Adopted& adopted)
      : config_(config), dir_(config.build_dir / "check") {
    const Contents contents = contents_for(adopted);
    const fs::path lock = dir_ / "lock";
    for (;;) {
      in_use_.emplace(lock, FileLock::Wait::block, FileLock::Mode::shared);
      if (holds(contents)) return;
      in_use_.reset();
      const FileLock alone(lock);
      if (!holds(contents)) prepare(contents, adopted);
    }
  }

  // Runs the device program through the launcher; its output is the test's output.
  [[nodiscard]] int device_step(const std::string& step,
                                const std::vector<std::string>& more) const {
    Command command;
    std::vector<std::string> options{"--contract",  (dir_ / "contract.json").string(),
                                     "--compiled",  (dir_ / "compile.json").string(),
                                     "--reference", config_.reference_library.string(),
                                     "--device",    config_.device};
    options.insert(options.end(), more.begin(), more.end());
    command.arguments = kernelloop::device_step(config_, step, options);
    if (const std::string gpu = allocated_gpu(process_environment); !gpu.empty()) {
      command.variables["CUDA_VISIBLE_DEVICES"] = gpu;
    }
    command.timeout = std::chrono::minutes(30);
    const ProcessResult result = run(command);
    fmt::print("{}", result.output);
    fmt::print(stderr, "{}", result.error_output);
    if (result.signal != 0 || result.timed_out) {
      fail(ExitCode::environment, "the device program ended badly: {}", result.describe());
    }
    return result.exit_code;
  }

  [[nodiscard]] const fs::path& dir() const noexcept { return dir_; }

 private:
  // What the directory must hold for a test to run.
  struct Contents {
    OpSpec spec;
    fs::path source;
    std::map<std::string, std::string> parts;  // of the spec, by file
    std::string key;                           // of what was compiled
  };

  [[nodiscard]] Contents contents_for(const Adopted& adopted) const {
    const JsonDocument document = read_json(config_.spec);
    Contents result;
    result.spec = parse_op_spec(document);
    require_servable(document, result.spec);
    const SpecParts parts = split_spec(document);
    result.parts = {{"contract.json", to_text(parts.contract)},
                    {"checks.json", to_text(parts.checks)},
                    {"timing.json", to_text(parts.timing)}};
    result.source = version_source(config_.generated_dir / config_.op / adopted.version);
    result.key = to_text({{"source", sha256_of_file(result.source)},
                          {"path", result.source.string()},
                          {"contract", sha256(parts.contract.dump())},
                          {"architectures", config_.architectures},
                          {"options", config_.compile_options},
                          {"nvcc", config_.nvcc.string()},
                          {"cpu_abi", KERNELLOOP_CPU_ABI_VERSION},
                          {"device", config_.device}});
    return result;
  }

  [[nodiscard]] bool has(const std::string& file, const std::string& text) const {
    return fs::exists(dir_ / file) && read_file(dir_ / file) == text;
  }

  [[nodiscard]] bool holds(const Contents& contents) const {
    return has(k_key_file, contents.key) && fs::exists(dir_ / "compile.json") &&
           std::all_of(contents.parts.begin(), contents.parts.end(),
                       [&](const auto& part) { return has(part.first, part.second); });
  }

  void prepare(const Contents& contents, const Adopted& adopted) const {
    for (const auto& [file, text] : contents.parts) write_file_if_changed(dir_ / file, text);
    if (holds(contents)) return;
    fs::remove(dir_ / k_key_file);
    Json compiled = {{"schema_version", 1}, {"op", config_.op}, {"version", adopted.version}};
    compiled.update(
        compile_version(compile_request(config_, contents.spec, contents.source, dir_)));
    write_file_atomic(dir_ / "compile.json", to_text(compiled));
    write_file_atomic(dir_ / k_key_file, contents.key);
  }

  static constexpr const char* k_key_file = "compiled.key";

  const OpConfig& config_;
  fs::path dir_;
  std::optional<FileLock> in_use_;
};

// Only 1 is a verdict.
std::string what_became_of_it(int code) {
  if (code == static_cast<int>(ExitCode::check_failed)) return "does not pass";
  if (code == static_cast<int>(ExitCode::skipped)) return "cannot run here";
  if (code == static_cast<int>(ExitCode::unreachable)) return "was not run: no machine to be had";
  return fmt::format("was not run (exit code {})", code);
}

void check_rung(const OpConfig& config, const CheckOptions& options) {
  const std::string& rung = options.rung;
  const TestBed bed(config, adopted_version(config));
  const int code = bed.device_step(
      "verify", {"--checks", (bed.dir() / "checks.json").string(), "--rules",
                 std::to_string(options.verification_rules), "--gate", "--rung", rung, "--output",
                 (bed.dir() / ("verify-" + rung + ".json")).string()});
  if (code != 0) {
    throw Error(static_cast<ExitCode>(code),
                fmt::format("{}: rung {} {}", config.op, rung, what_became_of_it(code)));
  }
}

void check_performance(const OpConfig& config, const CheckOptions& options) {
  if (config.device != "cuda")
    skip("there is no GPU here, and times of the CPU device prove nothing");
  const Adopted adopted = adopted_version(config);
  const TestBed bed(config, adopted);
  const std::string verified = (bed.dir() / "verify-performance.json").string();
  const fs::path measured = bed.dir() / "bench.json";
  int code = bed.device_step("verify", {"--checks", (bed.dir() / "checks.json").string(), "--rules",
                                        std::to_string(options.verification_rules), "--gate",
                                        "--rung", "smoke", "--output", verified});
  if (code == 0) {
    code = bed.device_step(
        "bench",
        {"--timing", (bed.dir() / "timing.json").string(), "--verified", verified, "--rules",
         std::to_string(options.measurement_rules), "--cache-dir",
         (config.build_dir.parent_path() / "ceilings").string(), "--output", measured.string()});
  }
  if (code != 0) throw Error(static_cast<ExitCode>(code), config.op + ": the timing did not run");
  const Json result = read_json(measured).value;
  if (result.value("status", "") != "measured") {
    throw Error(ExitCode::check_failed,
                fmt::format("{}: {}", config.op, result.value("reason", "")));
  }
  const std::string device = result.at("device").at("name");
  if (device != adopted.device) {
    skip(fmt::format("adopted on {}, this is {}", adopted.device, device));
  }
  const double time_us = result.at("summary").at("time_us");
  fmt::print("<CTestMeasurement type=\"numeric/double\" name=\"time_us\">{}</CTestMeasurement>\n",
             time_us);
  fmt::print("{} {}: {:.2f} µs, adopted with {:.2f} µs\n", config.op, adopted.version, time_us,
             adopted.time_us);
  if (time_us > adopted.time_us * k_allowed_slowdown) {
    throw Error(ExitCode::check_failed,
                fmt::format("{} {} takes {:.2f} µs, more than {:.0f} % over the adopted {:.2f} µs",
                            config.op, adopted.version, time_us, (k_allowed_slowdown - 1) * 100,
                            adopted.time_us));
  }
}

}  // namespace

void add_check_command(CLI::App& app) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Test the adopted version (what CTest runs)");
  command->add_option("--config", options->config, "config.json of the op")->required();
  CLI::Option* rung = command->add_option("--rung", options->rung, "rung of the test ladder");
  command->add_flag("--performance", options->performance, "time it against the adopted time")
      ->excludes(rung);
  command->add_option("--verification-rules", options->verification_rules,
                      "number of the verification rules the build was configured with");
  command->add_option("--measurement-rules", options->measurement_rules,
                      "number of the measurement rules the build was configured with");
  command->callback([options] {
    const OpConfig config = load_config(options->config);
    if (options->performance) {
      check_performance(config, *options);
    } else if (!options->rung.empty()) {
      check_rung(config, *options);
    } else {
      throw Error(ExitCode::usage, "check: give --rung NAME or --performance");
    }
  });
}

}  // namespace kernelloop
