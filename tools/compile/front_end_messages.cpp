#include "compile/front_end_messages.hpp"

#include "compile/source_text.hpp"
#include "compile/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kernelloop {
namespace {

enum class Level { error, warning, note };

// The first line of a message.
struct Header {
  std::string_view file;  // empty: the end of the source
  std::size_t line = 0;
  std::size_t column = 0;
  Level level = Level::error;
  std::size_t code = 0;  // EDG's number; 0: none
  std::string_view text;
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "error #20-D: identifier ..." -> level, number, text.
bool parse_level(std::string_view text, Header& header) {
  static constexpr std::array<std::pair<std::string_view, Level>, 7> k_levels{{
      {"error", Level::error},
      {"fatal error", Level::error},
      {"catastrophic error", Level::error},
      {"internal error", Level::error},
      {"warning", Level::warning},
      {"note", Level::note},
      {"remark", Level::note},
  }};
  for (const auto& [word, level] : k_levels) {
    std::string_view rest = text;
    if (!take_prefix(rest, word)) continue;
    std::size_t code = 0;
    if (take_prefix(rest, " #")) {
      code = leading_number(rest);
      while (!rest.empty() && is_digit(rest.front())) rest.remove_prefix(1);
      take_prefix(rest, "-D");
    }
    if (!take_prefix(rest, ": ")) continue;
    header.level = level;
    header.code = code;
    header.text = trimmed(rest);
    return true;
  }
  return false;
}

// "kernel.cu(12): error: text"
std::optional<Header> parse_edg_header(std::string_view line) {
  Header header;
  std::string_view rest = line;
  if (take_prefix(rest, "At end of source: ") && parse_level(rest, header)) return header;
  for (std::size_t close = line.find("): "); close != std::string_view::npos;
       close = line.find("): ", close + 1)) {
    std::size_t open = close;
    while (open > 0 && is_digit(line[open - 1])) --open;
    if (open == close || open < 2 || line[open - 1] != '(') continue;
    if (!parse_level(line.substr(close + 3), header)) continue;
    header.file = line.substr(0, open - 1);
    header.line = leading_number(line.substr(open, close - open));
    return header;
  }
  return std::nullopt;
}

// Takes ":12" off the end of `text`.
std::optional<std::size_t> take_trailing_number(std::string_view& text) {
  std::size_t start = text.size();
  while (start > 0 && is_digit(text[start - 1])) --start;
  if (start == text.size() || start < 2 || text[start - 1] != ':') return std::nullopt;
  const std::size_t value = leading_number(text.substr(start));
  text = text.substr(0, start - 1);
  return value;
}

// "kernel.cu:12:5: error: text", "kernel.cu:12: error: text"
std::optional<Header> parse_gcc_header(std::string_view line) {
  Header header;
  for (std::size_t colon = line.find(": "); colon != std::string_view::npos;
       colon = line.find(": ", colon + 1)) {
    std::string_view place = line.substr(0, colon);
    const std::optional<std::size_t> last = take_trailing_number(place);
    if (!last || !parse_level(line.substr(colon + 2), header)) continue;
    const std::optional<std::size_t> first = take_trailing_number(place);
    header.file = place;
    header.line = first ? *first : *last;
    header.column = first ? *last : 0;
    return header;
  }
  return std::nullopt;
}

// Messages start at the margin; what a message quotes is indented.
std::optional<Header> parse_header(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t') return std::nullopt;
  if (std::optional<Header> header = parse_edg_header(line)) return header;
  return parse_gcc_header(line);
}

// Warnings that say nothing about speed or correctness: never referenced, set but never used.
bool is_idle_warning(std::size_t code) { return code == 177 || code == 550; }

bool is_caret_line(std::string_view line) {
  return trimmed(line) == "^" ||
         (contains(line, " | ") && line.find_first_not_of(" |^~") == std::string_view::npos);
}

// EDG echoes the line behind two blanks, with macros expanded and tabs as blanks. The column is
// known when what stands before the caret, or from the caret on, is what the source says.
std::size_t column_of_caret(std::string_view echo, std::size_t caret, std::string_view source) {
  constexpr std::size_t k_indent = 2;
  if (caret < k_indent || caret > echo.size()) return 0;
  std::string plain(source);
  std::replace(plain.begin(), plain.end(), '\t', ' ');
  const std::string_view before = echo.substr(k_indent, caret - k_indent);
  if (plain.compare(0, before.size(), before) == 0 && before.size() < plain.size()) {
    return before.size() + 1;
  }
  const std::string_view behind = echo.substr(caret);
  if (behind.size() >= 3 && behind.size() <= plain.size() &&
      plain.compare(plain.size() - behind.size(), behind.size(), behind) == 0) {
    return plain.size() - behind.size() + 1;
  }
  return 0;
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const SourceText& source)
      : path_(path.string()), name_(path.filename().string()), source_(source) {}

  void read(std::string_view line) {
    if (trimmed(line).empty()) {
      finish();
    } else if (std::optional<Header> header = parse_header(line)) {
      if (header->level == Level::note && current_) {
        add_note(*header);
      } else {
        begin(*header);
      }
    } else if (is_include_chain(line)) {
      note_include_chain(line);
    } else if (current_) {
      add_line(line);
    }
  }

  std::vector<Problem> take() {
    finish();
    return std::move(problems_);
  }

 private:
  struct Message {
    Header header;
    std::vector<std::string_view> quoted;   // not yet known to be text or an echo
    std::vector<std::string_view> context;  // "instantiation of ... at line 7"
    std::string text;
    std::string note;
    std::size_t column = 0;
    std::size_t includer = 0;  // line of the source that includes the header at fault
    bool in_note = false;
    bool in_context = false;
  };

  [[nodiscard]] bool is_source(std::string_view file) const {
    return file.empty() || file == path_ || file == name_;
  }

  static bool is_include_chain(std::string_view line) {
    return starts_with(line, "In file included from ") || starts_with(trimmed(line), "from ");
  }

  // "In file included from kernel.cu:3," and "                 from kernel.cu:3:"
  void note_include_chain(std::string_view line) {
    line = trimmed(line);
    line = line.substr(line.find("from ") + 5);
    while (!line.empty() && (line.back() == ':' || line.back() == ',')) line.remove_suffix(1);
    std::optional<std::size_t> number = take_trailing_number(line);
    if (std::optional<std::size_t> first = take_trailing_number(line)) number = first;
    if (number && is_source(line)) includer_ = *number;
  }

  void begin(const Header& header) {
    finish();
    if (header.level == Level::note) return;
    Message message;
    message.header = header;
    message.text = header.text;
    message.column = header.column;
    message.includer = std::exchange(includer_, 0);
    current_ = std::move(message);
  }

  void add_note(const Header& header) {
    flush_quoted();
    current_->in_note = true;
    if (!current_->note.empty()) return;
    current_->note = is_source(header.file) && header.line != 0
                         ? fmt::format("line {}: {}", header.line, header.text)
                         : std::string(header.text);
  }

  void add_line(std::string_view line) {
    Message& message = *current_;
    const std::string_view text = trimmed(line);
    if (starts_with(text, "detected during")) {
      flush_quoted();
      message.in_context = true;
      const std::string_view rest = trimmed(text.substr(15));
      if (rest.size() > 1) message.context.push_back(rest);
    } else if (message.in_context) {
      message.context.push_back(text);
    } else if (is_caret_line(line)) {
      take_echo(line);
    } else if (!message.in_note) {
      message.quoted.push_back(line);
    }
  }

  // The line before the caret quotes the source; those before it belong to the message.
  void take_echo(std::string_view caret_line) {
    Message& message = *current_;
    if (!message.in_note && !message.quoted.empty()) {
      const std::string_view echo = message.quoted.back();
      message.quoted.pop_back();
      if (message.column == 0 && is_source(message.header.file)) {
        message.column =
            column_of_caret(echo, caret_line.find('^'), source_.line(message.header.line));
      }
    }
    flush_quoted();
  }

  void flush_quoted() {
    for (const std::string_view line : current_->quoted) {
      if (!trimmed(line).empty() && line.front() == ' ') {
        current_->text += fmt::format(" {}", trimmed(line));
      }
    }
    current_->quoted.clear();
  }

  // The line of the source that an instantiation in a header began at.
  [[nodiscard]] std::size_t line_from_context(const Message& message) const {
    const std::string suffix = " of " + path_;
    for (const std::string_view entry : message.context) {
      const std::size_t at = entry.rfind(" at line ");
      if (at == std::string_view::npos) continue;
      if (entry.size() >= suffix.size() && entry.substr(entry.size() - suffix.size()) == suffix) {
        return leading_number(entry.substr(at + 9));
      }
    }
    return message.includer;
  }

  void finish() {
    if (!current_) return;
    flush_quoted();
    const Message message = std::move(*current_);
    current_.reset();
    if (message.header.level == Level::warning && is_idle_warning(message.header.code)) return;

    Problem problem;
    problem.severity = message.header.level == Level::error ? Problem::Severity::error
                                                            : Problem::Severity::warning;
    problem.message = message.text;
    if (message.header.file.empty()) {
      problem.message = "at the end of the source: " + message.text;
    } else if (is_source(message.header.file)) {
      problem.line = message.header.line;
      problem.column = message.column;
    } else {
      const std::filesystem::path file(message.header.file);
      problem.line = line_from_context(message);
      problem.message =
          fmt::format("in {}:{}: {}", file.filename().string(), message.header.line, message.text);
    }
    if (!seen_.emplace(problem.line, problem.message).second) return;
    if (!message.note.empty()) problem.message += fmt::format(" (note: {})", message.note);
    if (!message.context.empty()) problem.message += fmt::format(" ({})", message.context.front());
    problems_.push_back(std::move(problem));
  }

  std::string path_;
  std::string name_;  // compilers that run beside the source call it so
  const SourceText& source_;
  std::optional<Message> current_;
  std::size_t includer_ = 0;
  std::set<std::pair<std::size_t, std::string>> seen_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> front_end_problems(std::string_view messages,
                                        const std::filesystem::path& path,
                                        const SourceText& source) {
  Reader reader(path, source);
  for_each_line(messages, [&](std::string_view line) { reader.read(line); });
  return reader.take();
}

bool is_located_message(std::string_view line) { return parse_header(line).has_value(); }

}  // namespace kernelloop
