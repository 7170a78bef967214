// One cheat and its honest twin: the cheat must be caught where cheat.json says, the twin must
// pass.
//
// Exit codes as CTest reads them: 0 as expected, 1 not, 77 cannot be tried on this machine.
#include "compile/compile.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "verify/rules.hpp"
#include "verify/verify.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace {

using namespace kernelloop;
namespace fs = std::filesystem;

struct Setup {
  fs::path cheat;   // its folder: cheat.json, kernel.cu and, unless another is named, twin.cu
  fs::path honest;  // instead: a source that must climb the whole ladder
  fs::path spec;
  fs::path reference;
  fs::path program;  // kernelloop-device
  fs::path work;
  fs::path host_compiler;
  fs::path include_dir;
  fs::path nvcc;
  std::string device;
};

// What cheat.json expects on this device.
struct Expectation {
  std::string step;                // "compile", "not_runnable" or a rung
  std::vector<std::string> words;  // in the reason
  bool or_earlier = false;         // a lower rung catches it when the random shapes have it so
};

Expectation expectation_of(const Json& cheat, const std::string& device) {
  const Json& caught = cheat.at("caught").at(device);
  return {caught.at("by"), caught.at("words"), caught.value("or_earlier", false)};
}

// What became of one source.
struct Outcome {
  std::string step;  // where it was stopped; empty when it passed
  std::string reason;
};

std::string first_error(const Json& compiled) {
  std::string text;
  for (const Json& problem : compiled.at("problems")) {
    if (problem.value("severity", "error") != "error") continue;
    text += (text.empty() ? "" : "; ") + problem.at("message").get<std::string>();
  }
  return text.empty() ? compiled.value("reason", "") : text;
}

class Bench {
 public:
  explicit Bench(Setup setup) : setup_(std::move(setup)) {
    const JsonDocument document = read_json(setup_.spec);
    spec_ = parse_op_spec(document);
    const SpecParts parts = split_spec(document);
    write_file_if_changed(setup_.work / "contract.json", to_text(parts.contract));
    write_file_if_changed(setup_.work / "checks.json", to_text(parts.checks));
  }

  // Compiles the source and climbs the ladder up to `up_to` (a rung, or empty: to the top).
  [[nodiscard]] Outcome outcome_of(const fs::path& file, const std::string& up_to) const {
    const fs::path directory = setup_.work / file.stem();
    // A version is a directory of its own with one file.
    const fs::path source = directory / "version" / "kernel.cu";
    fs::create_directories(source.parent_path());
    write_file_if_changed(source, read_file(file));

    CompileRequest request;
    request.source = source;
    request.output_dir = directory;
    request.spec = &spec_;
    request.for_cpu = setup_.device == "cpu";
    if (setup_.device == "cuda") request.nvcc = setup_.nvcc;
    request.host_compiler = setup_.host_compiler;
    request.cpu_include_dir = setup_.include_dir;
    Json compiled{{"schema_version", 1}, {"op", spec_.name}, {"version", file.stem().string()}};
    compiled.update(compile_version(request));
    if (compiled.at("status") != "compiled") return {"compile", first_error(compiled)};
    write_file_atomic(directory / "compile.json", to_text(compiled));

    VerifyOptions options;
    options.contract = setup_.work / "contract.json";
    options.checks = setup_.work / "checks.json";
    options.compiled = directory / "compile.json";
    options.reference = setup_.reference;
    options.device = setup_.device;
    options.rules = k_verification_rules;
    options.up_to_rung = up_to;
    const VerifyResult result = run_verify(options, executors());
    fmt::print("{}\n{}", result.summary, result.details);
    if (result.status == Verdict::passed) return {};
    if (result.status == Verdict::not_runnable) return {"not_runnable", result.summary};
    for (const Json& rung : result.json.at("rungs")) {
      if (rung.at("status") == "failed") return {rung.at("name"), rung.at("reason")};
    }
    return {"skipped", result.summary};
  }

 private:
  [[nodiscard]] ExecutorFactory executors() const {
    return [this](const CompiledVersion& version) -> std::unique_ptr<Executor> {
      return std::make_unique<WorkerExecutor>(WorkerOptions{setup_.device, setup_.program},
                                              version);
    };
  }

  Setup setup_;
  OpSpec spec_;
};

bool is_rung(const std::string& step) { return step != "compile" && step != "not_runnable"; }

// What went against the expectation; empty when nothing did.
std::string complaint(const Outcome& outcome, const Expectation& expected) {
  if (outcome.step.empty()) {
    return fmt::format("the cheat passes; '{}' should catch it", expected.step);
  }
  const bool earlier = expected.or_earlier && is_rung(outcome.step);
  if (outcome.step != expected.step && !earlier) {
    return fmt::format("the cheat is caught by '{}' ({}), not by '{}'", outcome.step,
                       outcome.reason, expected.step);
  }
  for (const std::string& word : expected.words) {
    if (outcome.reason.find(word) == std::string::npos) {
      return fmt::format("the cheat is caught by '{}', but \"{}\" does not say \"{}\"",
                         outcome.step, outcome.reason, word);
    }
  }
  return {};
}

int failed(const std::string& what, const Outcome& outcome) {
  fmt::print("FAILED: {} in '{}': {}\n", what, outcome.step, outcome.reason);
  return static_cast<int>(ExitCode::check_failed);
}

int test(const Setup& setup) {
  if (setup.device == "cuda" && setup.nvcc.empty()) {
    fmt::print("skipped: there is no nvcc to compile it for the GPU\n");
    return static_cast<int>(ExitCode::skipped);
  }
  fs::create_directories(setup.work);
  const Bench bench(setup);
  if (!setup.honest.empty()) {
    const Outcome outcome = bench.outcome_of(setup.honest, "");
    return outcome.step.empty() ? 0 : failed("the honest kernel fails", outcome);
  }
  const Json cheat = read_json(setup.cheat / "cheat.json").value;
  const Expectation expected = expectation_of(cheat, setup.device);
  const std::string up_to = is_rung(expected.step) ? expected.step : "smoke";
  fmt::print("{}\n", cheat.at("attempt").get<std::string>());
  // Says so where there is no such device, before anything is compiled for it.
  if (is_rung(expected.step)) Worker({setup.device, setup.program, {}}).device();
  const Outcome caught = bench.outcome_of(setup.cheat / "kernel.cu", up_to);
  if (const std::string wrong = complaint(caught, expected); !wrong.empty()) {
    fmt::print("FAILED: {}\n", wrong);
    return static_cast<int>(ExitCode::check_failed);
  }
  // A twin that is the plain kernel has a test of its own (honest/).
  const fs::path twin = setup.cheat / "twin.cu";
  if (cheat.contains("twin")) {
    if (fs::exists(setup.cheat / cheat.at("twin").get<std::string>())) return 0;
    fmt::print("FAILED: there is no {}\n", cheat.at("twin").get<std::string>());
    return static_cast<int>(ExitCode::check_failed);
  }
  const Outcome outcome = bench.outcome_of(twin, up_to);
  return outcome.step.empty() ? 0 : failed("the honest twin fails", outcome);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tries one cheat and its honest twin");
  Setup setup;
  auto* cheat = app.add_option("--cheat", setup.cheat, "Its folder");
  app.add_option("--honest", setup.honest, "A source that must pass")->excludes(cheat);
  app.add_option("--spec", setup.spec, "op.json")->required();
  app.add_option("--reference", setup.reference, "The reference library")->required();
  app.add_option("--program", setup.program, "kernelloop-device")->required();
  app.add_option("--work-dir", setup.work, "Where to build")->required();
  app.add_option("--host-compiler", setup.host_compiler, "For the CPU device");
  app.add_option("--include-dir", setup.include_dir, "Headers of the CPU device");
  app.add_option("--nvcc", setup.nvcc, "For the GPU");
  app.add_option("--device", setup.device, "cpu or cuda")
      ->required()
      ->check(CLI::IsMember({"cpu", "cuda"}));
  CLI11_PARSE(app, argc, argv);
  try {
    return test(setup);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    const bool absent = setup.device == "cuda" && error.code() == ExitCode::environment;
    return static_cast<int>(absent ? ExitCode::skipped : error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
