#include "propose/propose.hpp"

#include "loop/history.hpp"
#include "loop/steering.hpp"
#include "loop/tuning.hpp"
#include "propose/courier.hpp"
#include "propose/duplicates.hpp"
#include "propose/inner_loop.hpp"
#include "propose/key_source.hpp"
#include "propose/language_choice.hpp"
#include "propose/manual_provider.hpp"
#include "propose/prompt.hpp"
#include "propose/provider_choice.hpp"
#include "propose/publish.hpp"
#include "propose/replay_provider.hpp"
#include "propose/secrets.hpp"
#include "propose/tuned_version.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/process.hpp"
#include "support/secret_environment.hpp"
#include "support/version.hpp"

#include "cost/run_id.hpp"
#include "languages/version_source.hpp"

#include <memory>
#include <optional>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

std::string name_of(const ProposeRequest& request) {
  return request.config->op + " " + version_name(request.version);
}

// The earlier version that a published one was sent as once more. The compile step looks again.
std::string duplicate_of(const ProposeRequest& request) {
  return text_member(
      read_json_if_there(request.config->version_dir(request.version) / "origin.json"),
      "duplicate_of");
}

void write_proposed(const ProposeRequest& request, const char* status, const std::string& reason) {
  const fs::path source = version_source(request.config->version_dir(request.version));
  const bool ready = std::string_view(status) == "ready";
  write_file_if_changed(request.config->step_dir(request.version) / "proposed.json",
                        to_text({{"schema_version", 1},
                                 {"op", request.config->op},
                                 {"version", version_name(request.version)},
                                 {"status", status},
                                 {"source", ready ? source.string() : std::string()},
                                 {"duplicate_of", ready ? duplicate_of(request) : std::string()},
                                 {"reason", reason}}));
}

// Whether the version is there; then its journal, if one was left behind, goes.
bool is_published(const ProposeRequest& request, const Journal& journal) {
  const fs::path directory = request.config->version_dir(request.version);
  if (const auto source = find_version_source(directory)) {
    if (fs::exists(journal.directory())) journal.discard(source->path);
    return true;
  }
  if (!fs::exists(directory)) return false;
  fail(ExitCode::bad_input, "{} holds no {}; put one there or remove the directory",
       directory.string(), cuda_language().source);
}

std::optional<History> previous_history(const ProposeRequest& request) {
  const int round = request.config->round_of(request.version);
  if (round == 1) return std::nullopt;
  const fs::path path = request.config->history_dir(round - 1) / "history.json";
  if (!fs::exists(path)) {
    fail(ExitCode::bad_input, "{}: {} is missing; run the learn step of round {} first",
         name_of(request), path.string(), round - 1);
  }
  History history =
      steered(history_from_json(read_json(path)), load_steering(*request.config), *request.config);
  history.decision = decision_for(history, *request.config, request.version);
  return history;
}

std::string previous_feedback(const ProposeRequest& request) {
  const int round = request.config->round_of(request.version);
  if (round == 1) return {};
  const fs::path path = request.config->history_dir(round - 1) / "feedback.md";
  if (!fs::exists(path)) return {};
  std::string text = read_file(path);
  // What comes next was decided without the person who steers; the prompt ends with the true ask.
  if (const std::size_t next = text.rfind("\nNext: ");
      next != std::string::npos && !load_steering(*request.config).empty()) {
    text.resize(next + 1);
  }
  return text;
}

// What became of the round before, in a sentence, and where more of it stands; empty without one.
std::string last_round_text(const ProposeRequest& request, const std::optional<History>& history) {
  if (!history) return {};
  std::string text;
  for (const VersionRecord& record : history->versions) {
    if (record.round != history->round) continue;
    text +=
        fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", record.version, name_of(record.outcome),
                    record.failure.empty() ? "" : " (" + record.failure + ")");
  }
  const fs::path feedback = request.config->history_dir(history->round) / "feedback.md";
  return text.empty() ? text : fmt::format("{}, more in {}", text, feedback.string());
}

std::unique_ptr<Provider> make_provider(const ProposeRequest& request, const std::string& name,
                                        const Journal& journal, const Language& language,
                                        const std::optional<History>& history) {
  if (name == "replay") return std::make_unique<ReplayProvider>(request.config->recordings_dir);
  if (name == "manual") {
    return std::make_unique<ManualProvider>(journal.directory(), language,
                                            last_round_text(request, history));
  }
  return std::make_unique<CourierProvider>(journal, request.courier);
}

FileLock lock_version(const ProposeRequest& request, const Journal& journal) {
  FileLock lock(journal.version_lock(), FileLock::Wait::try_once);
  if (lock.held()) return lock;
  fmt::print(stderr, "kernelloop: another build works on {}; waiting for it\n", name_of(request));
  return FileLock(journal.version_lock());
}

Account account_of(const ProposeRequest& request) {
  const OpConfig& config = *request.config;
  const UserConfig& user = *request.user;
  return {config.generated_dir, current_run(), lower_of(config.budget, user.op_budget),
          lower_of(config.run_budget, user.run_budget)};
}

// What must not get into a recording: the environment's secrets, and the key and headers of the
// provider, wherever they come from. Reads the key, so that a bad key file stops us before anything
// is asked.
std::vector<LiveSecret> secrets_of(const UserConfig& user, const std::string& provider) {
  std::vector<LiveSecret> secrets = live_secrets();
  if (!takes_tools(provider)) return secrets;  // not over HTTP
  const Endpoint endpoint = with_key(user.endpoint(provider));
  add_secret(secrets, endpoint.key_from, endpoint.key);
  for (const auto& [name, value] : endpoint.extra_headers) {
    if (is_secret_name(name)) add_secret(secrets, "header " + name, value);
  }
  return secrets;
}

Proposal converse(const ProposeRequest& request, const Journal& journal,
                  const std::optional<History>& history, const std::string& provider_name,
                  const std::vector<LiveSecret>& secrets) {
  const OpConfig& config = *request.config;
  const Templates templates(request.user->prompts_dir);
  const bool reads = takes_tools(provider_name) && !request.tools.empty();
  const Prompt prompt =
      compose_prompt(config, *request.spec, request.version, history, previous_feedback(request),
                     templates, {request.user->max_prompt_tokens, reads});
  const std::unique_ptr<Provider> provider =
      make_provider(request, provider_name, journal, *prompt.language, history);

  const ToolBox tools(request.tools, request.tool_limits,
                      [&](const std::string& text) { return find_secret(text, secrets); });

  InnerLoop loop;
  loop.journal = &journal;
  loop.provider = provider.get();
  loop.compiler = request.compiler;
  loop.templates = &templates;
  loop.language = prompt.language;
  if (reads) loop.tools = &tools;
  loop.provider_name = provider_name;
  loop.model = config.model;
  loop.max_output_tokens = request.user->max_output_tokens;
  loop.account = account_of(request);
  loop.op = config.op;
  loop.version = request.version;
  loop.turn_limit = is_paid(provider_name) ? config.fix_limit + 1 : 0;
  loop.twin_of = [&](const std::string& source) {
    return earlier_twin(config, request.version, source, *prompt.language);
  };
  loop.check_text = [&](const std::string& text) {
    refuse_secrets(text, secrets, "the recording of " + name_of(request));
  };
  return run_inner_loop(loop, prompt);
}

std::string describe(const ProposeRequest& request, const Proposal& proposal) {
  std::string text =
      fmt::format("{}: {} by {}", name_of(request), proposal.mode, proposal.provider);
  if (proposal.model != proposal.provider) text += " " + proposal.model;
  text += fmt::format(", {} turn{}", proposal.turns.size(), proposal.turns.size() == 1 ? "" : "s");
  if (proposal.input_tokens + proposal.output_tokens > 0) {
    text += fmt::format(", {}+{} tokens", proposal.input_tokens, proposal.output_tokens);
  }
  if (!proposal.note.empty()) text += "; " + proposal.note;
  return text;
}

// The version is there from then on, and its journal is not.
void publish(const ProposeRequest& request, const Proposal& proposal, const Journal& journal,
             const std::vector<LiveSecret>& secrets) {
  publish_proposal(*request.config, request.version, proposal, journal, secrets);
  write_proposed(request, "ready", "");
  journal.discard(version_source(request.config->version_dir(request.version)));
}

}  // namespace

std::string propose(const ProposeRequest& request) {
  const OpConfig& config = *request.config;
  const Journal journal(config.generated_dir / config.op, request.version);
  if (is_published(request, journal)) {
    write_proposed(request, "ready", "");
    return name_of(request) + ": there already";
  }
  const std::optional<History> history = previous_history(request);
  if (history && history->decision.action == Decision::Action::stop) {
    write_proposed(request, "stopped", history->decision.reason);
    return name_of(request) + ": not asked for, " + history->decision.reason;
  }
  request.compiler->require_ready(language_for(config, request.version, history));
  journal.prepare(config.step_dir(request.version), request.room_bytes);
  const FileLock lock = lock_version(request, journal);
  if (is_published(request, journal)) {
    write_proposed(request, "ready", "");
    return name_of(request) + ": written by another build";
  }
  // The build that held the lock may have taken the journal's directory with it.
  journal.prepare(config.step_dir(request.version), request.room_bytes);

  if (history && history->decision.action == Decision::Action::tune) {
    const Proposal proposal = tuned_version(config, *history, request.version);
    publish(request, proposal, journal, live_secrets());
    return fmt::format("{}: {}", name_of(request), proposal.summary);
  }

  const std::string provider_name = choose_provider(config, *request.user);
  const std::vector<LiveSecret> secrets = secrets_of(*request.user, provider_name);
  const Proposal proposal = converse(request, journal, history, provider_name, secrets);
  if (!proposal.stopped.empty()) {
    write_proposed(request, "stopped", proposal.stopped);
    return name_of(request) + ": " + proposal.stopped;
  }
  publish(request, proposal, journal, secrets);
  return describe(request, proposal);
}

}  // namespace kernelloop
