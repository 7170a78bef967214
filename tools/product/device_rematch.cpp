#include "product/adopt.hpp"
#include "product/device_step.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/version.hpp"

namespace kernelloop {
namespace {

constexpr std::chrono::minutes k_timeout{15};

Json run_compare(const OpConfig& config, const std::string& incumbent,
                 const std::string& challenger) {
  // In the build directory, which a device host that is reached by a launcher shares.
  const TemporaryDirectory scratch(config.build_dir);
  const std::filesystem::path output = scratch.path() / "compare.json";
  Command command;
  const auto compiled = [&](const std::string& version) {
    return (config.step_dir(version_number(version)) / "compile.json").string();
  };
  command.arguments =
      device_step(config, "compare",
                  {"--timing", (config.build_dir / "timing.json").string(), "--incumbent",
                   compiled(incumbent), "--challenger", compiled(challenger), "--device",
                   config.device, "--output", output.string()});
  command.timeout = k_timeout;
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    const std::string first_line = result.error_output.substr(0, result.error_output.find('\n'));
    fail(ExitCode::environment, "{}: {} and {} could not be compared ({}): {}", config.op,
         incumbent, challenger, result.describe(), first_line.empty() ? "no message" : first_line);
  }
  return read_json(output).value;
}

}  // namespace

Rematch device_rematch(const OpConfig& config) {
  return [config](const std::string& incumbent, const std::string& challenger) {
    return run_compare(config, incumbent, challenger);
  };
}

}  // namespace kernelloop
