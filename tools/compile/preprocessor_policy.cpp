#include "compile/preprocessor_policy.hpp"

#include "compile/source_text.hpp"
#include "compile/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kernelloop {
namespace {

constexpr std::array<std::string_view, 3> k_times{"__DATE__", "__TIME__", "__TIMESTAMP__"};
constexpr std::array<std::string_view, 4> k_questions{"__has_include", "__has_include_next",
                                                      "__has_embed", "__has_embed_next"};

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '\n' &&
         std::isspace(static_cast<unsigned char>(text[at])) != 0) {
    ++at;
  }
  return at;
}

// Whether what follows a word only asks if the preprocessor knows it: `#ifdef W`, `defined(W)`.
bool is_asked_for(const SourceText& source, std::size_t at) {
  const std::string_view code = source.code();
  const std::size_t start = code.rfind('\n', at) + 1;  // 0 when there is none
  std::string_view before = trimmed(code.substr(start, at - start));
  if (before.ends_with('(')) before = trimmed(before.substr(0, before.size() - 1));
  return before.ends_with("defined") || before.ends_with("ifdef") || before.ends_with("ifndef");
}

// The header of `("name")` or `(<name>)` behind the question, when it can be one by its name.
std::optional<std::string_view> header_behind(std::string_view text, std::size_t at) {
  at = skip_blanks(text, at);
  if (at >= text.size() || text[at] != '(') return std::nullopt;
  at = skip_blanks(text, at + 1);
  if (at >= text.size() || text[at] != '<') return std::nullopt;
  const std::size_t end = text.find_first_of(">\n", at);
  if (end == std::string_view::npos || text[end] != '>') return std::nullopt;
  const std::string_view name = text.substr(at + 1, end - at - 1);
  const std::filesystem::path path(name);
  const bool leaves =
      path.is_absolute() ||
      std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
  if (name.empty() || leaves) return std::nullopt;
  return name;
}

std::optional<Problem> question_problem(const SourceText& source, std::string_view word,
                                        std::size_t at) {
  if (is_asked_for(source, at)) return std::nullopt;
  if (word == "__has_include" && header_behind(source.uncommented(), at + word.size())) {
    return std::nullopt;
  }
  return broken_rule(
      fmt::format("{} asks which files there are on the machine that builds; ask for headers of "
                  "the CUDA toolkit and the standard library only, as __has_include(<name>)",
                  word),
      source.line_of(at));
}

// "__has_in" of a question or a time, where ## could add the rest.
bool begins_one(std::string_view word) {
  const auto is_beginning = [word](std::string_view whole) {
    return word.size() < whole.size() && whole.starts_with(word);
  };
  return std::any_of(k_times.begin(), k_times.end(), is_beginning) ||
         std::any_of(k_questions.begin(), k_questions.end(), is_beginning);
}

bool joins_words(std::string_view code) {
  return code.find("##") != std::string_view::npos || code.find("%:%:") != std::string_view::npos;
}

void check_words(const SourceText& source, std::vector<Problem>& problems) {
  const std::string_view code = source.code();
  const bool joins = joins_words(code);
  for (std::size_t at = 0; at < code.size();) {
    if (!is_word(code[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < code.size() && is_word(code[end])) ++end;
    const std::string_view word = code.substr(at, end - at);
    if (is_one_of(word, k_times)) {
      problems.push_back(broken_rule(
          fmt::format("{} makes every build of the version another one; remove it", word),
          source.line_of(at)));
    } else if (is_one_of(word, k_questions)) {
      if (auto problem = question_problem(source, word, at)) {
        problems.push_back(*std::move(problem));
      }
    } else if (joins && word.front() == '_' && begins_one(word)) {
      problems.push_back(broken_rule(
          fmt::format("the word {} and ## could make {} of it; give it another name", word,
                      std::string_view("__has_include").starts_with(word) ? "__has_include"
                                                                          : "__DATE__ or __TIME__"),
          source.line_of(at)));
    }
    at = end;
  }
}

// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069, as UTF-8.
void check_direction(const SourceText& source, std::vector<Problem>& problems) {
  const std::string_view text = source.text();
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const std::string_view two = text.substr(at, 2);
    const unsigned char third = at + 2 < text.size() ? static_cast<unsigned char>(text[at + 2]) : 0;
    const bool found = two == "\xD8\x9C" ||
                       (two == "\xE2\x80" &&
                        (third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE))) ||
                       (two == "\xE2\x81" && third >= 0xA6 && third <= 0xA9);
    if (!found) continue;
    problems.push_back(broken_rule(
        "the source holds a control character that reverses the direction of text, which shows "
        "other code than the compiler reads; remove it",
        source.line_of(at)));
    return;
  }
}

}  // namespace

std::vector<Problem> check_preprocessor_use(const SourceText& source) {
  std::vector<Problem> problems;
  check_words(source, problems);
  check_direction(source, problems);
  return problems;
}

}  // namespace kernelloop
