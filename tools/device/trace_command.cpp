#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"

#include <CLI/CLI.hpp>

#include "profile/trace_step.hpp"

#include <cstdio>
#include <memory>
#include <random>

namespace kernelloop {
namespace {

struct TraceOptions {
  std::string timing;
  std::string compiled;
  std::string traced;
  std::string verified;
  std::string workload;
  std::string output;
};

std::string ptx_of(const std::filesystem::path& compiled) {
  const Json json = read_json(compiled).value;
  const std::string path = text_member(member(member(json, "artifacts"), "cuda"), "ptx");
  return path.empty() ? std::string() : read_file(compiled.parent_path() / path);
}

void trace_and_write(const TraceOptions& options) {
  const OpSpec spec = parse_op_spec(read_json(options.timing));
  TraceRequest request;
  request.spec = &spec;
  request.plain = load_compiled_version(options.compiled, spec, "cuda");
  request.traced = load_compiled_version(options.traced, spec, "cuda");
  request.traced_ptx = ptx_of(options.traced);
  request.verified = read_json(options.verified).value;
  request.workload = options.workload;
  request.seed = std::random_device()();
  Worker worker(WorkerOptions{"cuda", {}});
  const TraceReport report = trace_version(request, worker);
  const std::filesystem::path output(options.output);
  // What the viewer opens first: trace.json is what Ninja waits for.
  if (!report.chrome.empty()) {
    write_file_if_changed(output.parent_path() / "trace.chrome.json", report.chrome);
  }
  write_file_if_changed(output, to_text(report.trace));
  fmt::print("{}", report.summary);
}

}  // namespace

void add_trace_command(CLI::App& app) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App* command =
      app.add_subcommand("trace", "Record where a verified version's kernels spend their time");
  command->add_option("--timing", options->timing, "timing.json of the op")->required();
  command->add_option("--compiled", options->compiled, "compile.json of the version")->required();
  command->add_option("--traced", options->traced, "compile.json of its traced build")->required();
  command->add_option("--verified", options->verified, "verify.json of the version")->required();
  command->add_option("--workload", options->workload,
                      "name of the workload (default: the one that moves most bytes)");
  command->add_option("--output", options->output, "trace.json to write")->required();
  command->callback([options] { trace_and_write(*options); });
}

}  // namespace kernelloop
