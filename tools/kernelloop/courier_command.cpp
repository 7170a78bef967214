#include "kernelloop/commands.hpp"
#include "propose/courier.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace kernelloop {
namespace {

struct CourierOptions {
  std::string request;
  std::string reply;
};

}  // namespace

// Started by the propose step; of no use to people, hence in no help text.
void add_courier_command(CLI::App& app) {
  const auto options = std::make_shared<CourierOptions>();
  CLI::App* command = app.add_subcommand("courier", "Carry one request to a provider");
  command->group("");
  command->add_option("--request", options->request, "request file of the journal")->required();
  command->add_option("--reply", options->reply, "reply file to write")->required();
  command->callback([options] { run_courier(options->request, options->reply); });
}

}  // namespace kernelloop
