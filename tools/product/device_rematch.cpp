#include "product/adopt.hpp"
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
  command.arguments = config.device_launcher;
  for (const std::string& argument :
       {config.device_tool.string(), std::string("compare"), std::string("--timing"),
        (config.build_dir / "timing.json").string(), std::string("--incumbent"),
        (config.step_dir(version_number(incumbent)) / "compile.json").string(),
        std::string("--challenger"),
        (config.step_dir(version_number(challenger)) / "compile.json").string(),
        std::string("--device"), config.device, std::string("--output"), output.string()}) {
    command.arguments.push_back(argument);
  }
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
