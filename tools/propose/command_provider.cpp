#include "propose/command_provider.hpp"

#include "propose/agent_result.hpp"
#include "propose/extract.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace kernelloop {
namespace {

struct ProviderVariable {
  const char* name;
  const char* program;  // whose own key it is; "" for nobody's
};

constexpr std::array<ProviderVariable, 14> k_variables{{{"ANTHROPIC_API_KEY", "claude"},
                                                        {"ANTHROPIC_AUTH_TOKEN", "claude"},
                                                        {"CLAUDE_CODE_OAUTH_TOKEN", "claude"},
                                                        {"OPENAI_API_KEY", "codex"},
                                                        {"CODEX_API_KEY", "codex"},
                                                        {"GEMINI_API_KEY", "gemini"},
                                                        {"GOOGLE_API_KEY", "gemini"},
                                                        {"OPENROUTER_API_KEY", ""},
                                                        {"DEEPSEEK_API_KEY", ""},
                                                        {"MISTRAL_API_KEY", ""},
                                                        {"GROQ_API_KEY", ""},
                                                        {"XAI_API_KEY", ""},
                                                        {"AZURE_OPENAI_API_KEY", ""},
                                                        {"KERNELLOOP_OPENAI_CHAT_API_KEY", ""}}};

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + value.size())) {
    text.replace(at, mark.size(), value);
  }
  return text;
}

// What a program says last, cut to a length for a message.
std::string last_words(std::string_view text) {
  constexpr std::size_t k_longest = 300;
  const std::string_view line = last_line(text);
  return line.empty() ? "no message" : std::string(line.substr(0, k_longest));
}

}  // namespace

std::vector<std::string> hidden_variables(const CommandSettings& settings) {
  const std::string program = std::filesystem::path(settings.arguments.at(0)).filename().string();
  const auto& keep = settings.keep_environment;
  std::vector<std::string> result;
  for (const ProviderVariable& variable : k_variables) {
    const bool own = program == variable.program;
    const bool kept = std::find(keep.begin(), keep.end(), variable.name) != keep.end();
    if (!own && !kept) result.emplace_back(variable.name);
  }
  return result;
}

std::string flat_prompt(const AskRequest& request) {
  std::string text = request.system;
  for (const Turn& turn : request.turns) {
    text += turn.role == Turn::Role::user ? "\n\n# Task\n\n" : "\n\n# Your earlier answer\n\n";
    text += turn.text;
  }
  return text + "\n";
}

CommandProvider::CommandProvider(CommandSettings settings) : settings_(std::move(settings)) {}

Reply CommandProvider::ask(const AskRequest& request) {
  const TemporaryDirectory scratch;
  const std::string prompt = flat_prompt(request);
  const std::filesystem::path prompt_file = scratch.path() / "prompt.md";
  const std::filesystem::path out_file = scratch.path() / "answer.md";
  write_file_atomic(prompt_file, prompt);
  const std::filesystem::path directory = scratch.path() / "work";
  std::filesystem::create_directory(directory);

  Command command;
  bool writes_file = false;
  for (const std::string& argument : settings_.arguments) {
    writes_file = writes_file || argument.find("{out_file}") != std::string::npos;
    command.arguments.push_back(replaced(replaced(argument, "{prompt_file}", prompt_file.string()),
                                         "{out_file}", out_file.string()));
  }
  command.directory = directory;
  command.input = prompt;
  command.timeout = settings_.timeout;
  command.scrub_secrets = false;  // an agent needs its own key; the others go here:
  for (const std::string& name : hidden_variables(settings_)) ::unsetenv(name.c_str());
  const std::string& pointer = settings_.result_pointer;
  if (!writes_file) {
    // Some agents hang after their result.
    command.is_complete = [&](const std::string& output) {
      return pointer.empty() ? extract_source(output, "end").problem == Extraction::Problem::none
                             : read_agent_result(output, pointer).has_value();
    };
    if (pointer.empty()) command.grace = std::chrono::seconds(60);  // it may say more
  }
  const ProcessResult result = run(command);

  const auto failed = [&](const std::string& why) {
    Failure failure;
    failure.kind = Failure::Kind::command;
    failure.message = fmt::format("{} ({}): {}", settings_.arguments[0], settings_.from, why);
    return Reply::of(std::move(failure));
  };
  if (!result.succeeded()) {
    return failed(result.describe() + ": " + last_words(result.error_output));
  }
  Answer answer;
  answer.stop_reason = result.output_truncated ? "length" : "end";
  answer.model = request.model.empty() ? settings_.arguments[0] : request.model;
  if (result.ended_when_complete) answer.note = "the program did not end after its answer";
  if (writes_file) {
    if (!std::filesystem::exists(out_file)) return failed("it wrote no answer into {out_file}");
    answer.text = read_file(out_file);
  } else if (pointer.empty()) {
    answer.text = result.output;
  } else {
    const std::optional<AgentResult> found = read_agent_result(result.output, pointer);
    if (!found) return failed("its output holds no JSON object with a text at " + pointer);
    if (found->is_error) return failed("it reports an error: " + last_words(found->text));
    answer.text = found->text;
    answer.usage = found->usage;
  }
  return Reply::of(std::move(answer));
}

}  // namespace kernelloop
