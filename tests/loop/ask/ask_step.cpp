// The propose step with everything real but the compiler: couriers, sockets, files, locks.
//   ask_step propose ROOT OP FIRST LAST PROVIDER    versions FIRST..LAST of one round, in ROOT
//   ask_step courier --request FILE --reply FILE
#include "kernelloop/commands.hpp"
#include "propose/propose.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>

#include "fakes.hpp"

#include <filesystem>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

void propose_all(const std::vector<std::string>& arguments) {
  const fs::path root = arguments.at(0);
  OpConfig config;
  config.op = arguments.at(1);
  config.build_dir = root / "build" / config.op;
  config.generated_dir = root / "generated";
  config.recordings_dir = config.generated_dir;
  config.provider = arguments.at(4);
  config.model = "stub-1";
  config.candidates = 1000;  // one round: no history needed
  config.versions = 1000;
  config.fix_limit = 3;
  config.device = "cpu";
  OpSpec spec;
  spec.name = config.op;
  const UserConfig user = load_user_config(process_environment);
  FakeCompiler compiler;
  FakeTool tool;
  ProposeRequest request;
  request.config = &config;
  request.spec = &spec;
  request.user = &user;
  request.compiler = &compiler;
  if (!process_environment("ASK_STEP_WITH_TOOL").empty()) request.tools = {&tool};
  request.courier = {fs::read_symlink("/proc/self/exe").string(), "courier"};
  for (int version = std::stoi(arguments.at(2)); version <= std::stoi(arguments.at(3)); ++version) {
    request.version = version;
    fmt::print("{}\n", propose(request));
  }
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  CLI::App app("The propose step of a test");
  app.require_subcommand(1);
  std::vector<std::string> arguments;
  CLI::App* propose = app.add_subcommand("propose");
  propose->add_option("arguments", arguments)->expected(5);
  propose->callback([&] { kernelloop::propose_all(arguments); });
  kernelloop::add_courier_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "ask_step: {}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
