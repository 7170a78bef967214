#include "propose/provider_choice.hpp"

#include "propose/replay_provider.hpp"
#include "support/error.hpp"

namespace kernelloop {
namespace {

[[noreturn]] void fail_unset(const OpConfig& config, const std::string& what) {
  fail(ExitCode::provider, "op {}: PROVIDER {} needs {}", config.op, config.provider, what);
}

std::string automatic(const OpConfig& config, const UserConfig& user) {
  if (user.anthropic.has_key()) return "anthropic";
  if (user.openai.has_key()) return "openai";
  if (!user.openai_chat.base_url.empty()) return "openai-chat";
  if (user.command) return "command";
  return has_recording(config.recordings_dir, config.op) ? "replay" : "manual";
}

}  // namespace

std::string choose_provider(const OpConfig& config, const UserConfig& user) {
  const std::string& name = config.provider;
  if (name == "auto") return automatic(config, user);
  if ((name == "anthropic" || name == "openai") && !user.endpoint(name).has_key()) {
    fail_unset(config, "a key in the environment variable " + user.endpoint(name).key_from +
                           ", or api_key_file or api_key_command in your configuration");
  }
  if (name == "openai-chat" && user.openai_chat.base_url.empty()) {
    fail_unset(config,
               "a base URL in KERNELLOOP_OPENAI_CHAT_BASE_URL, like http://localhost:8080/v1");
  }
  if (name == "command" && !user.command) {
    fail_unset(config,
               "a program: set KERNELLOOP_COMMAND to a JSON array, like [\"claude\",\"-p\"]");
  }
  if (name == "anthropic" || name == "openai" || name == "openai-chat" || name == "command" ||
      name == "replay" || name == "manual") {
    return name;
  }
  fail(ExitCode::bad_input,
       "op {}: unknown PROVIDER '{}'; use auto, anthropic, openai, openai-chat, command, replay or "
       "manual",
       config.op, name);
}

bool takes_tools(const std::string& provider) {
  return provider == "anthropic" || provider == "openai" || provider == "openai-chat";
}

bool is_paid(const std::string& provider) {
  return provider != "replay" && provider != "manual" && provider != k_nobody;
}

}  // namespace kernelloop
