#include "cpu/preprocessed.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace kernelloop {

namespace {

using Kind = PreprocessedToken::Kind;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) { result_.files.emplace_back(); }

  PreprocessedText run() {
    bool line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        line_start = true;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (c == '#' && line_start) {
        directive();
      } else {
        line_start = false;
        token();
      }
    }
    return std::move(result_);
  }

 private:
  // `# 12 "kernel.cu" 1 3` sets where the next line comes from; 3 means a system header, or, in a
  // file of the user's, that a macro of a system header was used there. The other
  // directives that remain are pragmas.
  void directive() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view rest = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.starts_with("line ")) rest.remove_prefix(5);
    std::size_t digits = 0;
    std::size_t number = 0;
    while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
      number = number * 10 + static_cast<std::size_t>(rest[digits++] - '0');
    }
    if (digits == 0) {
      pragma(rest);
      return;
    }
    const std::size_t line_before = line_;
    const std::size_t file_before = file_;
    line_ = number - 1;  // the newline that ends the marker counts one up
    const std::size_t open = rest.find('"', digits);
    if (open == std::string_view::npos) return;
    const std::size_t close = rest.rfind('"');
    set_file(std::string(rest.substr(open + 1, close - open - 1)));
    const std::string_view flags = rest.substr(close + 1);
    const bool entered = flags.find('1') != std::string_view::npos;
    if (entered && !system_) {
      result_.includes.push_back({result_.files[file_], line_before, file_before});
    }
    const bool marked = flags.find('3') != std::string_view::npos;
    if (!marked) user_files_.insert(file_);
    system_ = marked && !user_files_.contains(file_);
  }

  void pragma(std::string_view text) {
    constexpr std::string_view k_word = "pragma";
    if (system_ || !text.starts_with(k_word)) return;
    text.remove_prefix(k_word.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
      text.remove_suffix(1);
    }
    result_.pragmas.push_back({text, line_});
  }

  void set_file(const std::string& name) {
    const auto found = std::find(result_.files.begin(), result_.files.end(), name);
    file_ = static_cast<std::size_t>(found - result_.files.begin());
    if (found == result_.files.end()) result_.files.push_back(name);
  }

  void token() {
    const std::size_t start = at_;
    const std::size_t line = line_;
    const char c = text_[at_];
    Kind kind = Kind::punctuation;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && at_ + 1 < text_.size() &&
         std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0)) {
      number();
      kind = Kind::number;
    } else if (is_word(c)) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
      kind = Kind::identifier;
      const std::string_view word = text_.substr(start, at_ - start);
      const char next = at_ < text_.size() ? text_[at_] : '\0';
      const bool prefix = word == "L" || word == "u" || word == "U" || word == "u8";
      const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
      if (next == '"' && raw) {
        raw_string();
        kind = Kind::string;
      } else if ((next == '"' || next == '\'') && prefix) {
        quoted(next);
        kind = next == '"' ? Kind::string : Kind::character;
      }
    } else if (c == '"' || c == '\'') {
      quoted(c);
      kind = c == '"' ? Kind::string : Kind::character;
    } else {
      punctuation();
    }
    if (!system_) {
      result_.tokens.push_back({kind, text_.substr(start, at_ - start), start, line, file_});
    }
  }

  void number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool separator = c == '\'' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]);
      const bool sign = (c == '+' || c == '-') &&
                        std::string_view("eEpP").find(text_[at_ - 1]) != std::string_view::npos;
      if (!is_word(c) && c != '.' && !separator && !sign) return;
      ++at_;
    }
  }

  // An unterminated literal ends with its line; the compiler will say so.
  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    at_ = std::min(at_, text_.size());
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = text_.size();
      return;
    }
    std::string end = ")";
    end += text_.substr(at_ + 1, open - at_ - 1);
    end += '"';
    const std::size_t close = text_.find(end, open);
    const std::size_t next = close == std::string_view::npos ? text_.size() : close + end.size();
    line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(next),
                                                 '\n'));
    at_ = next;
  }

  // Only what the rewriter looks at needs to be whole.
  void punctuation() {
    for (const std::string_view whole : {"<<<", "::", "->"}) {
      if (text_.substr(at_).starts_with(whole)) {
        at_ += whole.size();
        return;
      }
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t file_ = 0;
  bool system_ = false;
  std::set<std::size_t> user_files_;
  PreprocessedText result_;
};

}  // namespace

PreprocessedText tokenize_preprocessed(std::string_view text) { return Tokenizer(text).run(); }

}  // namespace kernelloop
