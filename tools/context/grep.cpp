#include "context/grep.hpp"

#include <regex.h>

#include <algorithm>
#include <cctype>

namespace kernelloop {
namespace {

constexpr std::size_t k_longest_pattern = 200;
constexpr std::size_t k_longest_line = 1000;
constexpr std::string_view k_special = "\\^$.|?*+()[]";

// The longest run of plain characters that every match must hold; nothing where alternatives or
// groups make that hard to tell.
std::string required_literal(const std::string& pattern) {
  if (pattern.find_first_of("|()[") != std::string::npos) return {};
  std::string best;
  std::string run;
  const auto end_run = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size() &&
        std::isalnum(static_cast<unsigned char>(pattern[i + 1])) == 0) {
      run += pattern[++i];
    } else if (c == '\\') {
      end_run();
      ++i;
    } else if (c == '*' || c == '?') {
      if (!run.empty()) run.pop_back();
      end_run();
    } else if (k_special.find(c) != std::string_view::npos) {
      end_run();
    } else {
      run += c;
    }
  }
  end_run();
  return best;
}

// Braces as characters; what stands in brackets or behind a backslash stays.
std::string with_plain_braces(const std::string& pattern) {
  std::string result;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      result += c;
      result += pattern[++i];
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    if ((c == '{' || c == '}') && !in_class) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

struct LinePattern::Compiled {
  regex_t regex{};
  ~Compiled() { regfree(&regex); }
};

LinePattern::LinePattern(const std::string& pattern, bool ignore_case) {
  if (pattern.empty() || pattern.size() > k_longest_pattern) {
    error_ = "the pattern must have 1 to 200 characters";
    return;
  }
  if (pattern.find('\n') != std::string::npos || pattern.find('\0') != std::string::npos) {
    error_ = "the pattern must be of one line";
    return;
  }
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    if (pattern[i + 1] >= '1' && pattern[i + 1] <= '9') {
      error_ = "back-references cannot be used";
      return;
    }
    ++i;
  }
  is_literal_ = !ignore_case && pattern.find_first_of(k_special) == std::string::npos;
  if (!ignore_case) literal_ = required_literal(pattern);
  if (is_literal_) return;
  auto compiled = std::make_unique<Compiled>();
  const int flags = REG_EXTENDED | REG_NOSUB | (ignore_case ? REG_ICASE : 0);
  const int code = regcomp(&compiled->regex, with_plain_braces(pattern).c_str(), flags);
  if (code != 0) {
    std::string reason(128, '\0');
    reason.resize(
        std::max<std::size_t>(regerror(code, &compiled->regex, reason.data(), reason.size()), 1) -
        1);
    error_ = "the pattern is no extended regular expression: " + reason;
    return;
  }
  compiled_ = std::move(compiled);
}

LinePattern::~LinePattern() = default;

bool LinePattern::may_match(std::string_view text) const {
  return literal_.empty() || text.find(literal_) != std::string_view::npos;
}

bool LinePattern::matches(std::string_view line) const {
  if (is_literal_) return line.find(literal_) != std::string_view::npos;
  if (!may_match(line)) return false;
  const std::string text(line.substr(0, k_longest_line));
  return regexec(&compiled_->regex, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace kernelloop
