#include "context/query.hpp"

#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bitset>
#include <cctype>
#include <set>

namespace kernelloop {
namespace {

constexpr std::size_t k_most_terms = 16;
constexpr std::size_t k_shortest_beginning = 3;

// As the index's tokenizer has it: unicode61 with '_' as a letter.
bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_word_byte(c)) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool says_nothing(const std::vector<std::string>& term) {
  static const std::set<std::string> empty_words{
      "a",   "an",   "and", "are", "as",   "at",   "be",    "by",    "can",  "do", "does",
      "for", "how",  "i",   "if",  "in",   "is",   "it",    "of",    "on",   "or", "that",
      "the", "this", "to",  "use", "what", "when", "where", "which", "with", "you"};
  return term.size() == 1 && empty_words.contains(term.front());
}

std::string joined(const ContextQuery& query, const char* between) {
  std::string text;
  for (const auto& term : query.terms)
    text += (text.empty() ? "" : between) + term_expression(term);
  return text;
}

}  // namespace

std::string term_expression(const std::vector<std::string>& term) {
  return fmt::format("\"{}\"", fmt::join(term, " "));
}

std::string ContextQuery::all() const { return joined(*this, " AND "); }

std::string ContextQuery::any() const { return joined(*this, " OR "); }

std::string ContextQuery::beginnings() const {
  std::string text;
  for (const auto& term : terms) {
    for (const std::string& word : term) {
      if (word.size() < k_shortest_beginning) continue;
      text += fmt::format("{}\"{}\" *", text.empty() ? "" : " OR ", word);
    }
  }
  return text;
}

ContextQuery parse_query(std::string_view text) {
  ContextQuery query;
  const auto add = [&](std::string_view part) {
    std::vector<std::string> words = words_of(part);
    if (!words.empty() && query.terms.size() < k_most_terms &&
        std::find(query.terms.begin(), query.terms.end(), words) == query.terms.end()) {
      query.terms.push_back(std::move(words));
    }
  };
  for (std::size_t at = 0; at < text.size();) {
    const bool quoted = text[at] == '"';
    const std::size_t begin = quoted ? at + 1 : at;
    const std::size_t end = std::min(
        quoted ? text.find('"', begin) : text.find_first_of(" \t\r\n\"", begin), text.size());
    add(text.substr(begin, end - begin));
    at = end > at ? end : at + 1;
    if (quoted && at < text.size()) ++at;
    while (!quoted && at < text.size() && text[at] != '"' &&
           std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    }
  }
  std::vector<std::vector<std::string>> telling;
  std::copy_if(query.terms.begin(), query.terms.end(), std::back_inserter(telling),
               [](const auto& term) { return !says_nothing(term); });
  if (!telling.empty()) query.terms = std::move(telling);
  return query;
}

std::size_t best_window(const std::vector<std::string_view>& lines, std::size_t most,
                        const ContextQuery& query) {
  using Seen = std::bitset<k_most_terms>;
  std::vector<Seen> seen;
  for (const std::string_view line : lines) {
    const std::string text = lower_case(line);
    Seen one;
    for (std::size_t term = 0; term < query.terms.size(); ++term) {
      const auto& words = query.terms[term];
      one[term] = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return text.find(word) != std::string::npos;
      });
    }
    seen.push_back(one);
  }
  std::size_t best = 0;
  std::size_t best_score = 0;
  for (std::size_t first = 0; first + std::min(most, lines.size()) <= lines.size(); ++first) {
    Seen together;
    std::size_t hits = 0;
    for (std::size_t i = first; i < std::min(first + most, lines.size()); ++i) {
      together |= seen[i];
      hits += seen[i].any() ? 1 : 0;
    }
    const std::size_t score = together.count() * 1000 + hits;
    if (score > best_score) {
      best_score = score;
      best = first;
    }
  }
  return best;
}

}  // namespace kernelloop
