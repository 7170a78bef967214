#include "propose/user_config.hpp"

#include "support/error.hpp"
#include "support/json_members.hpp"

#include <algorithm>
#include <cstdlib>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

fs::path config_file(const Environment& environment) {
  const std::string base = environment("XDG_CONFIG_HOME");
  if (!base.empty()) return fs::path(base) / "kernelloop" / "config.json";
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".config" / "kernelloop" / "config.json";
}

[[noreturn]] void fail_member(const JsonDocument& document, const std::string& pointer,
                              const std::string& what) {
  fail(ExitCode::bad_input, "{}: {}", document.where(pointer), what);
}

void require_members(const JsonDocument& document, const std::string& pointer,
                     const std::vector<std::string>& known) {
  const Json& object = document.value.at(Json::json_pointer(pointer));
  if (!object.is_object()) fail_member(document, pointer, "must be an object");
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fail_member(document, pointer + "/" + name,
                fmt::format("unknown member \"{}\"; known are {}", name, fmt::join(known, ", ")));
  }
}

std::string text_at(const JsonDocument& document, const std::string& pointer,
                    const std::string& fallback) {
  const Json::json_pointer where(pointer);
  if (!document.value.contains(where)) return fallback;
  const Json& value = document.value.at(where);
  if (!value.is_string()) fail_member(document, pointer, "must be a text");
  return value.get<std::string>();
}

std::int64_t count_at(const JsonDocument& document, const std::string& pointer,
                      std::int64_t fallback) {
  const Json::json_pointer where(pointer);
  if (!document.value.contains(where)) return fallback;
  const Json& value = document.value.at(where);
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1) {
    fail_member(document, pointer, "must be a whole number above 0");
  }
  return value.get<std::int64_t>();
}

std::vector<std::string> texts(const Json& value, const std::string& where, std::size_t least) {
  const bool right =
      value.is_array() && value.size() >= least &&
      std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
  if (!right) {
    fail(ExitCode::bad_input, "{}: must be a list of texts, like [\"claude\", \"-p\"]", where);
  }
  return value.get<std::vector<std::string>>();
}

// Environment before file: what is set for one run goes before what is set for all.
Endpoint read_endpoint(const JsonDocument& document, const std::string& member_name,
                       const std::string& key_variable, const std::string& url_variable,
                       const std::string& default_url, const Environment& environment) {
  Endpoint endpoint;
  endpoint.base_url = default_url;
  endpoint.base_url_from = "the default base URL";
  endpoint.key_from = key_variable;
  const std::string pointer = "/" + member_name;
  if (document.value.contains(member_name)) {
    require_members(document, pointer, {"base_url", "api_key_env", "max_tokens_field"});
    const std::string url = text_at(document, pointer + "/base_url", "");
    if (!url.empty()) {
      endpoint.base_url = url;
      endpoint.base_url_from = document.where(pointer + "/base_url");
    }
    endpoint.key_from = text_at(document, pointer + "/api_key_env", key_variable);
    endpoint.max_tokens_field =
        text_at(document, pointer + "/max_tokens_field", endpoint.max_tokens_field);
  }
  if (const std::string url = environment(url_variable); !url.empty()) {
    endpoint.base_url = url;
    endpoint.base_url_from = url_variable;
  }
  endpoint.key = environment(endpoint.key_from);
  return endpoint;
}

std::optional<CommandSettings> read_command(const JsonDocument& document,
                                            const Environment& environment) {
  std::optional<CommandSettings> result;
  if (document.value.contains("command")) {
    require_members(document, "/command", {"argv", "timeout_seconds", "keep_environment"});
    const Json& command = document.value["command"];
    CommandSettings settings;
    settings.from = document.where("/command");
    settings.arguments = texts(member(command, "argv"), document.where("/command/argv"), 1);
    settings.timeout = std::chrono::seconds(count_at(document, "/command/timeout_seconds", 1800));
    if (command.contains("keep_environment")) {
      settings.keep_environment =
          texts(command["keep_environment"], document.where("/command/keep_environment"), 0);
    }
    result = settings;
  }
  if (const std::string text = environment("KERNELLOOP_COMMAND"); !text.empty()) {
    CommandSettings settings = result.value_or(CommandSettings{});
    settings.from = "KERNELLOOP_COMMAND";
    settings.arguments = texts(parse_leniently(text), "KERNELLOOP_COMMAND", 1);
    result = settings;
  }
  return result;
}

}  // namespace

std::string process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

const Endpoint& UserConfig::endpoint(const std::string& provider) const {
  if (provider == "anthropic") return anthropic;
  if (provider == "openai") return openai;
  if (provider == "openai-chat") return openai_chat;
  fail(ExitCode::internal, "no HTTP provider is called '{}'", provider);
}

UserConfig load_user_config(const Environment& environment) {
  const fs::path path = config_file(environment);
  JsonDocument document{path, "{}", Json::object(), 1};
  if (!path.empty() && fs::exists(path)) document = read_json(path);
  require_members(document, "",
                  {"schema_version", "command", "anthropic", "openai", "openai_chat",
                   "max_output_tokens", "prompts_dir"});
  UserConfig config;
  config.command = read_command(document, environment);
  config.anthropic = read_endpoint(document, "anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
                                   "https://api.anthropic.com", environment);
  config.anthropic.default_model = "claude-opus-5-5";
  config.openai = read_endpoint(document, "openai", "OPENAI_API_KEY", "OPENAI_BASE_URL",
                                "https://api.openai.com/v1", environment);
  config.openai.default_model = "gpt-6.2-sol";
  config.openai_chat = read_endpoint(document, "openai_chat", "KERNELLOOP_OPENAI_CHAT_API_KEY",
                                     "KERNELLOOP_OPENAI_CHAT_BASE_URL", "", environment);
  config.max_output_tokens = count_at(document, "/max_output_tokens", 32000);
  config.prompts_dir = text_at(document, "/prompts_dir", "");
  if (const std::string text = environment("KERNELLOOP_PROMPTS_DIR"); !text.empty()) {
    config.prompts_dir = text;
  }
  return config;
}

}  // namespace kernelloop
