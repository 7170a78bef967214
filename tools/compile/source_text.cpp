#include "compile/source_text.hpp"

#include "compile/text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kernelloop {
namespace {

// Whether a line goes on behind its end.
bool is_continued(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return !line.empty() && line.back() == '\\';
}

// Walks the text once and blanks what is not code. Literals end at the end of their line when they
// are not closed, as in `#error don't`.
class Blanker {
 public:
  explicit Blanker(const std::string& text) : text_(text), code_(text), uncommented_(text) {}

  void run() {
    while (at_ < text_.size()) {
      if (at("//")) {
        line_comment();
      } else if (at("/*")) {
        block_comment();
      } else if (text_[at_] == '"') {
        raw_prefix() ? raw_string() : literal('"');
      } else if (text_[at_] == '\'' && !digit_separator()) {
        literal('\'');
      } else {
        ++at_;
      }
    }
  }

  std::string take_code() { return std::move(code_); }
  std::string take_uncommented() { return std::move(uncommented_); }
  std::vector<SourceText::Range> take_literals() { return std::move(literals_); }

 private:
  [[nodiscard]] bool at(std::string_view what) const {
    return text_.compare(at_, what.size(), what) == 0;
  }

  void blank(std::size_t from, std::size_t to, bool comment) {
    if (!comment) literals_.push_back({from, to});
    for (std::size_t i = from; i < to; ++i) {
      if (comment) uncommented_[i] = ' ';
      if (text_[i] != '\n') code_[i] = ' ';
    }
  }

  void line_comment() {
    std::size_t end = at_;
    // A backslash at the end of the line makes the next line part of the comment.
    do {
      end = std::min(text_.find('\n', end + 1), text_.size());
    } while (end < text_.size() && is_continued(std::string_view(text_).substr(0, end)));
    blank(at_, end, true);
    at_ = end;
  }

  void block_comment() {
    const std::size_t close = text_.find("*/", at_ + 2);
    const std::size_t end = close == std::string::npos ? text_.size() : close + 2;
    blank(at_, end, true);
    at_ = end;
  }

  [[nodiscard]] bool raw_prefix() const {
    if (at_ == 0 || text_[at_ - 1] != 'R') return false;
    std::size_t start = at_ - 1;
    while (start > 0 && is_word(text_[start - 1])) --start;
    const std::string_view prefix = std::string_view(text_).substr(start, at_ - start);
    return prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R";
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    std::size_t end = text_.size();
    if (open != std::string::npos) {
      const std::string close = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
      const std::size_t found = text_.find(close, open);
      if (found != std::string::npos) end = found + close.size();
    }
    blank(at_, end, false);
    at_ = end;
  }

  // 1'000'000: the quote stands between two digits of a number, not after a prefix such as u8.
  [[nodiscard]] bool digit_separator() const {
    if (at_ == 0 || at_ + 1 >= text_.size()) return false;
    if (!is_word(text_[at_ - 1]) || !is_word(text_[at_ + 1])) return false;
    std::size_t start = at_;
    while (start > 0 && (is_word(text_[start - 1]) || text_[start - 1] == '\'')) --start;
    return std::isdigit(static_cast<unsigned char>(text_[start])) != 0;
  }

  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    if (end < text_.size() && text_[end] == quote) ++end;
    blank(at_, end, false);
    at_ = end;
  }

  const std::string& text_;
  std::string code_;
  std::string uncommented_;
  std::vector<SourceText::Range> literals_;
  std::size_t at_ = 0;
};

// Takes `#` or its digraph off the front of a trimmed line.
bool take_hash(std::string_view& line) {
  if (!take_prefix(line, "#") && !take_prefix(line, "%:")) return false;
  line = trimmed(line);
  return true;
}

std::optional<Directive> parse_directive(std::string_view line) {
  line = trimmed(line);
  if (!take_hash(line)) return std::nullopt;
  std::size_t length = 0;
  while (length < line.size() && is_word(line[length])) ++length;
  Directive result;
  result.name = line.substr(0, length);
  result.rest = trimmed(line.substr(length));
  return result;
}

}  // namespace

SourceText::SourceText(std::string text) : text_(std::move(text)) {
  Blanker blanker(text_);
  blanker.run();
  code_ = blanker.take_code();
  uncommented_ = blanker.take_uncommented();
  literals_ = blanker.take_literals();
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::string_view SourceText::line(std::size_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  const std::size_t start = line_starts_[number - 1];
  const std::size_t end = std::min(text_.find('\n', start), text_.size());
  std::string_view result = std::string_view(text_).substr(start, end - start);
  if (!result.empty() && result.back() == '\r') result.remove_suffix(1);
  return result;
}

std::size_t SourceText::line_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(after - line_starts_.begin());
}

std::optional<std::size_t> SourceText::find_word(std::string_view word, std::size_t offset) const {
  for (std::size_t at = code_.find(word, offset); at != std::string::npos;
       at = code_.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(code_[at - 1])) && (end >= code_.size() || !is_word(code_[end]))) {
      return at;
    }
  }
  return std::nullopt;
}

std::size_t SourceText::line_of_word(std::string_view word) const {
  const std::optional<std::size_t> at = find_word(word);
  return at ? line_of(*at) : 0;
}

std::vector<Directive> SourceText::directives() const {
  std::vector<Directive> result;
  for (std::size_t start = 0; start < text_.size();) {
    std::string logical;
    std::size_t end;  // of the logical line, below
    for (std::size_t from = start;; from = end + 1) {
      end = std::min(uncommented_.find('\n', from), text_.size());
      logical += uncommented_.substr(from, end - from);
      if (end >= text_.size() || !is_continued(logical)) break;
      logical.resize(logical.rfind('\\'));
    }
    // The hash must be code: a line within a raw string is none. Looked for in this line alone,
    // lest each line of a long comment look through all that follow it.
    const std::string_view code = std::string_view(code_).substr(start, end - start);
    const std::size_t hash = code.find_first_not_of(" \t\v\f\r\n");
    const bool is_code = hash != std::string_view::npos &&
                         (code[hash] == '#' || code[hash] == '%' || code[hash] == '\\');
    if (is_code) {
      if (std::optional<Directive> found = parse_directive(logical)) {
        found->line = line_of(start + hash);
        result.push_back(std::move(*found));
      }
    }
    start = end + 1;
  }
  return result;
}

std::vector<IncludeDirective> SourceText::includes() const {
  std::vector<IncludeDirective> result;
  for (Directive& one : directives()) {
    if (one.name != "include" && one.name != "include_next" && one.name != "import" &&
        one.name != "embed") {
      continue;
    }
    IncludeDirective include{one.name, one.rest, 0, one.line};
    const std::string_view rest = one.rest;
    if (!rest.empty() && (rest[0] == '<' || rest[0] == '"')) {
      const std::size_t close = rest.find(rest[0] == '<' ? '>' : '"', 1);
      if (close != std::string_view::npos) {
        include.delimiter = rest[0];
        include.target = rest.substr(1, close - 1);
      }
    }
    result.push_back(std::move(include));
  }
  return result;
}

}  // namespace kernelloop
