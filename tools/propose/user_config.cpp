#include "propose/user_config.hpp"

#include "propose/config_reader.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cctype>
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

// "~/x" and names relative to the configuration's directory.
fs::path resolved(const std::string& text, const JsonDocument& document,
                  const Environment& environment) {
  if (text.empty()) return {};
  if (text.rfind("~/", 0) == 0) return fs::path(environment("HOME")) / text.substr(2);
  return document.path.parent_path() / text;
}

// Names of headers are tokens; a value "$NAME" is that variable's.
void read_headers(const ConfigReader& read, const std::string& pointer,
                  const Environment& environment, Endpoint& endpoint) {
  const Json headers = read.object(pointer);
  for (const auto& [name, value] : headers.items()) {
    const std::string where = pointer + "/" + name;
    const bool token = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
    if (!token || !value.is_string()) read.complain(where, "must be a header with a text as value");
    std::string text = value.get<std::string>();
    if (text.rfind('$', 0) == 0) {
      const std::string variable = text.substr(1);
      text = environment(variable);
      if (text.empty() && endpoint.lacks.empty()) {
        endpoint.lacks = fmt::format("{}: the variable {} of header {} is not set",
                                     read.document().where(where), variable, name);
      }
    }
    if (text.find_first_of("\r\n") != std::string::npos) {
      read.complain(where, "must not hold a line break");
    }
    endpoint.extra_headers.emplace_back(name, text);
  }
}

struct EndpointNames {
  const char* member;
  const char* key_variable;
  const char* url_variable;
  const char* url;
};

// Environment before file: what is set for one run goes before what is set for all.
Endpoint read_endpoint(const ConfigReader& read, const EndpointNames& names,
                       const Environment& environment) {
  Endpoint endpoint;
  endpoint.base_url = names.url;
  endpoint.base_url_from = "the default base URL";
  const std::string pointer = std::string("/") + names.member;
  if (read.has(pointer)) {
    read.require_members(
        pointer, {"base_url", "api_key_env", "api_key_file", "api_key_command", "key_header",
                  "query", "extra_headers", "extra_body", "drop_params", "max_tokens_field"});
    if (const std::string url = read.text(pointer + "/base_url", ""); !url.empty()) {
      endpoint.base_url = url;
      endpoint.base_url_from = read.document().where(pointer + "/base_url");
    }
    endpoint.key_file =
        resolved(read.text(pointer + "/api_key_file", ""), read.document(), environment);
    if (read.has(pointer + "/api_key_command")) {
      endpoint.key_command = read.texts(pointer + "/api_key_command", 1);
    }
    endpoint.key_header = read.text(pointer + "/key_header", "");
    endpoint.query = read.text(pointer + "/query", "");
    if (endpoint.query.find_first_of(" \t\r\n#") != std::string::npos) {
      read.complain(pointer + "/query", "must be a query as it stands in a URL, like \"a=1&b=2\"");
    }
    endpoint.extra_body = read.object(pointer + "/extra_body");
    endpoint.drop_params = read.texts(pointer + "/drop_params", 0);
    read_headers(read, pointer + "/extra_headers", environment, endpoint);
  }
  endpoint.key_from = read.text(pointer + "/api_key_env", names.key_variable);
  if (const std::string url = environment(names.url_variable); !url.empty()) {
    endpoint.base_url = url;
    endpoint.base_url_from = names.url_variable;
  }
  endpoint.key = environment(endpoint.key_from);
  // Newer models of the vendor refuse the old name; other servers only know the old one.
  const std::string host = shown_url(endpoint.base_url);
  const bool vendor =
      host.find(".openai.com") != std::string::npos || host.find(".azure.com") != std::string::npos;
  endpoint.max_tokens_field =
      read.text(pointer + "/max_tokens_field", vendor ? "max_completion_tokens" : "max_tokens");
  return endpoint;
}

std::optional<CommandSettings> read_command(const ConfigReader& read,
                                            const Environment& environment) {
  std::optional<CommandSettings> result;
  if (read.has("/command")) {
    read.require_members("/command", {"argv", "timeout_seconds", "keep_environment", "result"});
    CommandSettings settings;
    settings.from = read.document().where("/command");
    settings.arguments = read.texts("/command/argv", 1);
    settings.timeout = std::chrono::seconds(read.count("/command/timeout_seconds", 1800));
    settings.keep_environment = read.texts("/command/keep_environment", 0);
    settings.result_pointer = read.text("/command/result", "");
    if (!settings.result_pointer.empty() && settings.result_pointer.front() != '/') {
      read.complain("/command/result", "must be a JSON pointer, like \"/result\"");
    }
    result = settings;
  }
  if (const std::string text = environment("KERNELLOOP_COMMAND"); !text.empty()) {
    CommandSettings settings = result.value_or(CommandSettings{});
    settings.from = "KERNELLOOP_COMMAND";
    settings.arguments = texts_of(parse_leniently(text), "KERNELLOOP_COMMAND", 1);
    result = settings;
  }
  return result;
}

void read_limits(const ConfigReader& read, UserConfig& config) {
  if (read.has("/timeouts")) {
    read.require_members("/timeouts", {"idle_seconds", "silent_seconds", "total_seconds"});
  }
  config.limits.idle = std::chrono::seconds(read.count("/timeouts/idle_seconds", 300));
  config.limits.silent = std::chrono::seconds(read.count("/timeouts/silent_seconds", 900));
  config.limits.total = std::chrono::seconds(read.count("/timeouts/total_seconds", 1800));
  if (!read.has("/budget")) return;
  read.require_members("/budget", {"op", "run"});
  config.op_budget = budget_from_json(read.document(), "/budget/op");
  config.run_budget = budget_from_json(read.document(), "/budget/run");
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
  const ConfigReader read(document);
  read.require_members("", {"schema_version", "command", "anthropic", "openai", "openai_chat",
                            "max_output_tokens", "max_prompt_tokens", "timeouts", "budget", "proxy",
                            "ca_file", "prices_file", "prompts_dir"});
  UserConfig config;
  config.command = read_command(read, environment);
  config.anthropic = read_endpoint(
      read, {"anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"},
      environment);
  config.anthropic.default_model = "claude-opus-5-5";
  config.openai = read_endpoint(
      read, {"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"},
      environment);
  config.openai.default_model = "gpt-6.2-sol";
  config.openai_chat = read_endpoint(
      read,
      {"openai_chat", "KERNELLOOP_OPENAI_CHAT_API_KEY", "KERNELLOOP_OPENAI_CHAT_BASE_URL", ""},
      environment);
  config.max_output_tokens = read.count("/max_output_tokens", 32000);
  config.max_prompt_tokens = read.count("/max_prompt_tokens", 0);
  read_limits(read, config);
  config.network.proxy = read.text("/proxy", "");
  config.network.ca_file = resolved(read.text("/ca_file", ""), document, environment).string();
  if (const fs::path file = config.network.ca_file; !file.empty() && !fs::is_regular_file(file)) {
    read.complain("/ca_file", fmt::format("there is no file {}", file.string()));
  }
  config.prices_file = resolved(read.text("/prices_file", ""), document, environment);
  config.prompts_dir = resolved(read.text("/prompts_dir", ""), document, environment);
  if (const std::string text = environment("KERNELLOOP_PROMPTS_DIR"); !text.empty()) {
    config.prompts_dir = text;
  }
  return config;
}

}  // namespace kernelloop
