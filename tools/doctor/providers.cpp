#include "propose/courier.hpp"
#include "propose/journal.hpp"
#include "propose/key_source.hpp"
#include "propose/transport.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <fmt/format.h>

#include "cost/prices.hpp"
#include "doctor/doctor.hpp"

#include <optional>
#include <string>

namespace kernelloop {
namespace {

using Level = Finding::Level;

// Where a key comes from and how it ends: enough to know it by, too little to use it. "" without
// one; throws Error(provider) for a file or program that does not bring it.
std::string key_text(const Endpoint& endpoint) {
  constexpr std::size_t k_shown = 4;
  constexpr std::size_t k_shortest = 16;  // four characters of a short one would be much of it
  const std::string key = with_key(endpoint).key;
  if (key.empty()) return {};
  const std::string from = !endpoint.key.empty()        ? endpoint.key_from
                           : !endpoint.key_file.empty() ? endpoint.key_file.string()
                                                        : endpoint.key_command.front();
  return fmt::format("key from {} (...{})", from,
                     key.size() < k_shortest ? "" : key.substr(key.size() - k_shown));
}

Finding http_provider(const std::string& name, const Endpoint& endpoint) {
  const bool needs_key = name != "openai-chat";
  std::string key;
  try {
    key = key_text(endpoint);
    if (!endpoint.base_url.empty()) {
      check_url(endpoint.base_url, !key.empty(), endpoint.base_url_from);
    }
  } catch (const Error& error) {
    return {Level::broken, name, error.what(), ""};
  }
  if (needs_key && key.empty()) {
    return {Level::absent, name, "no key", "set " + endpoint.key_from + " to use it"};
  }
  if (endpoint.base_url.empty()) {
    return {Level::absent, name, "no base URL",
            "set KERNELLOOP_OPENAI_CHAT_BASE_URL to use it, like http://localhost:8080/v1"};
  }
  // A query may hold a secret.
  const std::string url = endpoint.base_url.substr(0, endpoint.base_url.find_first_of("?#"));
  return {Level::ok, name, fmt::format("{}, {}", key.empty() ? "no key" : key, url), ""};
}

Finding command_provider(const UserConfig& user) {
  if (!user.command || user.command->arguments.empty()) {
    return {Level::absent, "command", "no program is configured",
            "set KERNELLOOP_COMMAND to a JSON array to use it, like [\"my-agent\", \"-p\"]"};
  }
  const std::string& program = user.command->arguments.front();
  const std::filesystem::path found = find_program(program);
  if (found.empty()) {
    return {Level::broken, "command",
            fmt::format("{} of {} is not in PATH", program, user.command->from),
            "install it or correct the setting"};
  }
  return {Level::ok, "command", fmt::format("{} ({})", found.string(), user.command->from), ""};
}

}  // namespace

std::vector<Finding> check_providers(const Surroundings& machine) {
  UserConfig user;
  try {
    user = load_user_config(machine.environment);
  } catch (const Error& error) {
    return {{Level::broken, "configuration", error.what(), "correct the file"}};
  }
  std::vector<Finding> findings;
  try {
    const Prices prices(user.prices_file);
  } catch (const Error& error) {
    findings.push_back({Level::broken, "prices", error.what(), "correct the file"});
  }
  for (const char* name : {"anthropic", "openai", "openai-chat"}) {
    findings.push_back(http_provider(name, user.endpoint(name)));
  }
  findings.push_back(command_provider(user));
  return findings;
}

Finding ask_once(const std::string& provider, const std::string& model,
                 const std::filesystem::path& generated_dir) {
  if (provider != "anthropic" && provider != "openai" && provider != "openai-chat" &&
      provider != "command") {
    fail(ExitCode::bad_input,
         "'{}' is no provider that can be asked; use anthropic, openai, openai-chat or command",
         provider);
  }
  const TemporaryDirectory scratch;
  const Journal journal(scratch.path() / "doctor", 1);
  journal.prepare(scratch.path(), 1 << 20);
  PendingRequest pending;
  pending.provider = provider;
  pending.mode = "seed";
  pending.request.op = "doctor";
  pending.request.version = 1;
  pending.request.system = "Answer with one word.";
  pending.request.turns = {{Turn::Role::user, "Are you there?"}};
  pending.request.model = model;
  pending.request.max_output_tokens = 1024;  // models that think first need some room
  pending.account.generated_dir = generated_dir.empty() ? scratch.path() : generated_dir;
  pending.account.run = "doctor";
  journal.keep_request(1, pending);
  run_courier(journal.file(1, "request.json"), journal.file(1, "reply.json"));
  const std::optional<Reply> reply = journal.reply(1);
  const std::string topic = "request to " + provider;
  if (!reply) return {Level::broken, topic, "no reply was written", ""};
  if (reply->failure) {
    return {Level::broken, topic,
            fmt::format("{}: {}", name_of(reply->failure->kind), reply->failure->message),
            "correct key, URL or model and ask again"};
  }
  const Answer& answer = *reply->answer;
  if (answer.stop_reason == "refusal" || answer.text.empty()) {
    return {Level::broken, topic,
            fmt::format("{} {}", answer.model,
                        answer.text.empty() ? "answered without a text" : "refused to answer"),
            "ask again, or another model"};
  }
  const Usage& usage = answer.usage;
  const std::string tokens = usage.input && usage.output
                                 ? fmt::format("{} tokens in, {} out", *usage.input, *usage.output)
                                 : "how many tokens, it does not say";
  return {Level::ok, topic, fmt::format("{} answered ({})", answer.model, tokens), ""};
}

}  // namespace kernelloop
