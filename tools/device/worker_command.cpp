#include "device/commands.hpp"
#include "device/worker_service.hpp"

#include <CLI/CLI.hpp>

#include <fcntl.h>

#include <memory>

namespace kernelloop {

void add_worker_command(CLI::App& app) {
  struct Options {
    std::string device;
    int channel = 3;
    bool may_start_programs = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("worker", "Serve one step (started by other commands)");
  command->group("");  // not for users
  command->add_option("--device", options->device)->required();
  command->add_option("--channel", options->channel)->required();
  command->add_flag("--may-start-programs", options->may_start_programs);
  command->callback([options] {
    ::fcntl(options->channel, F_SETFD, FD_CLOEXEC);
    const int code = serve_worker(
        options->device, Descriptor(options->channel),
        options->may_start_programs ? OtherPrograms::allowed : OtherPrograms::forbidden);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace kernelloop
