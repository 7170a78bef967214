#include "propose/manual_provider.hpp"

#include "propose/command_provider.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// The text of a file that somebody wrote. What is no text becomes no turn: each turn is kept and
// sent along with every later one.
std::string written_text(const fs::path& path) {
  constexpr std::uintmax_t k_most = 1u << 20;
  if (!fs::is_regular_file(path)) {
    fail(ExitCode::bad_input, "{} is no file; remove it and write the version there",
         path.string());
  }
  if (const std::uintmax_t size = fs::file_size(path); size > k_most) {
    fail(ExitCode::bad_input, "{} has {} bytes; a version is a text of at most {}", path.string(),
         size, k_most);
  }
  std::string text = read_file(path);
  if (text.find('\0') != std::string::npos) {
    fail(ExitCode::bad_input, "{} holds bytes that are no text; write it again", path.string());
  }
  return text;
}

// What was written, as the text of an answer; empty when nothing is there.
std::string written_answer(const fs::path& source, const fs::path& answer,
                           const Language& language) {
  if (fs::exists(source) && fs::exists(answer)) {
    fail(ExitCode::bad_input, "{} and {} are both there; keep the one that counts", source.string(),
         answer.string());
  }
  if (fs::exists(source)) return fenced(written_text(source), language);
  if (fs::exists(answer)) return written_text(answer);
  return {};
}

// The first line of the feedback that says something.
std::string first_problem(const std::string& feedback) {
  const std::size_t at = feedback.find("\n- ");
  if (at == std::string::npos) return {};
  return feedback.substr(at + 3, feedback.find('\n', at + 3) - at - 3);
}

// What a model would be told, and around it what somebody with an editor needs: which file, how far
// it came, how to go on.
std::string feedback_page(const std::string& name, const AskRequest& request, const fs::path& file,
                          const Language& language) {
  const bool whole_answer = file.filename() == "answer.md";
  return fmt::format(
      "# {}: attempt {} is not right yet\n\n"
      "File: {}\n"
      "How far it came: it was read and compiled; no rung of the ladder has run yet, so no case is "
      "wrong so far.\n\n{}\n"
      "# What to do\n\n"
      "Change {} and build again; attempts are not limited.{}\n",
      name, request.turn - 1, file.string(), request.turns.back().text, file.string(),
      whole_answer
          ? ""
          : fmt::format(" {} holds the source alone: the line `Summary: ` and the ```{} block "
                        "that are spoken of above belong into an answer.md.",
                        language.source, language.fence));
}

}  // namespace

std::string fenced(const std::string& source, const Language& language) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : source) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + language.fence + "\n" + source +
         (source.empty() || source.back() != '\n' ? "\n" : "") + fence + "\n";
}

ManualProvider::ManualProvider(fs::path directory, const Language& language, std::string last_round)
    : directory_(std::move(directory)), language_(language), last_round_(std::move(last_round)) {}

Reply ManualProvider::ask(const AskRequest& request) {
  const fs::path source = directory_ / language_.source;
  const fs::path answer = directory_ / "answer.md";
  const std::string text = written_answer(source, answer, language_);
  const std::string last =
      request.turns.size() > 1 ? request.turns[request.turns.size() - 2].text : std::string();
  if (!text.empty() && text != last) {
    // MODEL of the operator names who writes; the tool cannot know.
    const std::string author = request.model.empty() ? "manual" : request.model;
    Reply reply = Reply::of(Answer{text, "end", {}, author, {}});
    reply.requests = 0;
    return reply;
  }
  const std::string name = request.op + " " + version_name(request.version);
  if (request.turns.size() == 1) {
    write_file_if_changed(directory_ / "prompt.md", flat_prompt(request));
    fail(ExitCode::waiting,
         "{} waits for you: {}read {}, write {} (or a whole answer, answer.md beside it), then "
         "build again",
         name, last_round_.empty() ? "" : last_round_ + "; ", (directory_ / "prompt.md").string(),
         source.string());
  }
  const fs::path& file = fs::exists(answer) ? answer : source;
  write_file_if_changed(directory_ / "feedback.md", feedback_page(name, request, file, language_));
  const std::string problem = first_problem(request.turns.back().text);
  fail(ExitCode::waiting, "{} waits for you: {} is not right yet{}; read {}, mend it, build again",
       name, file.string(), problem.empty() ? "" : " (" + problem + ")",
       (directory_ / "feedback.md").string());
}

}  // namespace kernelloop
