// Asks a program of the user's (a CLI agent): prompt on standard input, answer from standard
// output.
#pragma once

#include "propose/provider.hpp"
#include "propose/user_config.hpp"

#include <string>
#include <vector>

namespace kernelloop {

class CommandProvider : public Provider {
 public:
  explicit CommandProvider(CommandSettings settings);
  // Runs in an empty directory of its own, so that no project file steers the agent.
  Reply ask(const AskRequest& request) override;

 private:
  CommandSettings settings_;
};

// The variables that the program does not get to see: keys of all providers but its own (by the
// program's name) and those that the user's configuration keeps.
std::vector<std::string> hidden_variables(const CommandSettings& settings);

// The conversation as one text: a program takes one prompt.
std::string flat_prompt(const AskRequest& request);

}  // namespace kernelloop
