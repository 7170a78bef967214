#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>

#include "profile/profile_step.hpp"

#include <cstdio>
#include <memory>
#include <random>

namespace kernelloop {
namespace {

struct ProfileOptions {
  std::string timing;
  std::string compiled;
  std::string verified;
  std::string measured;
  std::string ncu;
  std::string workload;
  std::string output;
};

void profile_and_write(const ProfileOptions& options) {
  const OpSpec spec = parse_op_spec(read_json(options.timing));
  ProfileRequest request;
  request.spec = &spec;
  request.compiled = load_compiled_version(options.compiled, spec, "cuda");
  request.verified = read_json(options.verified).value;
  request.measured = read_json(options.measured).value;
  if (!options.ncu.empty()) request.ncu_csv = read_file(options.ncu);
  request.workload = options.workload;
  request.seed = std::random_device()();
  Worker worker(WorkerOptions{"cuda", {}});
  const Json profile = profile_version(request, worker);
  write_file_if_changed(options.output, to_text(profile));
  fmt::print("{}", profile_text(profile));
}

}  // namespace

void add_profile_command(CLI::App& app) {
  const auto options = std::make_shared<ProfileOptions>();
  CLI::App* command =
      app.add_subcommand("profile", "Count what the hardware does in a verified version");
  command->add_option("--timing", options->timing, "timing.json of the op")->required();
  command->add_option("--compiled", options->compiled, "compile.json of the version")->required();
  command->add_option("--verified", options->verified, "verify.json of the version")->required();
  command->add_option("--measured", options->measured, "bench.json of the version")->required();
  command->add_option("--ncu", options->ncu,
                      "output of ncu --csv --page raw or details, in place of running it");
  command->add_option("--workload", options->workload,
                      "name of the workload (default: the one that moves most bytes)");
  command->add_option("--output", options->output, "profile.json to write")->required();
  command->callback([options] { profile_and_write(*options); });
}

}  // namespace kernelloop
