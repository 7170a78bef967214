// What the person who builds has set up, outside of every project: the environment and
// $XDG_CONFIG_HOME/kernelloop/config.json (~/.config by default). A project can choose a provider's
// name and a model, never a URL, a header, a key or a program. All members are optional and stand
// in docs/providers.md; a key itself is never among them.
#pragma once

#include "propose/dialect.hpp"
#include "propose/transport.hpp"

#include "cost/budget.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

struct CommandSettings {
  std::vector<std::string>
      arguments;  // [0] the program; "{prompt_file}", "{out_file}" are replaced
  std::chrono::seconds timeout{1800};
  // Where the answer is: "" standard output as it is; "/result" the member of a JSON object, or of
  // the last line that is one; with "{out_file}" among the arguments, that file.
  std::string result_pointer;
  std::vector<std::string> keep_environment;  // keys of providers that the program may see
  std::string from;                           // where it was set
};

struct UserConfig {
  std::optional<CommandSettings> command;
  Endpoint anthropic;
  Endpoint openai;
  Endpoint openai_chat;
  std::int64_t max_output_tokens = 32000;
  std::int64_t max_prompt_tokens = 0;  // of the first question, by estimate; 0: no limit
  HttpLimits limits;
  Network network;
  Budget op_budget;                   // can only lower what the project allows
  Budget run_budget;                  // the same
  std::filesystem::path prices_file;  // read before the tables that ship; empty: none
  std::filesystem::path prompts_dir;  // empty: the built-in templates

  // By provider name. Throws Error(internal) for a name that is no HTTP provider.
  [[nodiscard]] const Endpoint& endpoint(const std::string& provider) const;
};

// A variable's value; empty when it is not set. A parameter so that tests need no real environment.
using Environment = std::function<std::string(const std::string& name)>;
std::string process_environment(const std::string& name);

// Throws Error(bad_input) when the file is broken or has members we do not know.
UserConfig load_user_config(const Environment& environment);

}  // namespace kernelloop
