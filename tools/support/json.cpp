#include "support/json.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

namespace kernelloop {
namespace {

std::string escape_pointer_token(std::string_view token) {
  std::string escaped;
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Walks a text that is known to be valid JSON and notes the byte offset of every value.
class OffsetIndex {
 public:
  explicit OffsetIndex(std::string_view text) : text_(text) { value(""); }

  [[nodiscard]] const std::map<std::string, std::size_t>& offsets() const { return offsets_; }
  // Of the first member name that its object has already had; the end when there is none.
  [[nodiscard]] std::size_t repeated_member() const { return repeated_; }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  std::string string_token() {
    const std::size_t begin = at_++;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    return Json::parse(text_.substr(begin, at_ - begin)).get<std::string>();
  }

  void value(const std::string& pointer) {
    skip_space();
    offsets_[pointer] = at_;
    if (text_[at_] == '{') {
      object(pointer);
    } else if (text_[at_] == '[') {
      array(pointer);
    } else if (text_[at_] == '"') {
      string_token();
    } else {
      while (at_ < text_.size() &&
             std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) {
        ++at_;
      }
    }
    skip_space();
  }

  void object(const std::string& pointer) {
    ++at_;
    skip_space();
    while (text_[at_] != '}') {
      const std::size_t key_at = at_;
      const std::string member = pointer + "/" + escape_pointer_token(string_token());
      if (offsets_.count(member) != 0) repeated_ = std::min(repeated_, key_at);
      skip_space();
      ++at_;  // the colon
      value(member);
      if (text_[at_] == ',') ++at_;
      skip_space();
    }
    ++at_;
  }

  void array(const std::string& pointer) {
    ++at_;
    skip_space();
    for (std::size_t index = 0; text_[at_] != ']'; ++index) {
      value(pointer + "/" + std::to_string(index));
      if (text_[at_] == ',') ++at_;
      skip_space();
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t repeated_ = std::string_view::npos;
  std::map<std::string, std::size_t> offsets_;
};

std::string place(const JsonDocument& document, std::size_t offset) {
  const TextPosition position = position_of(document.text, offset);
  return fmt::format("{}:{}:{}", document.path.string(), position.line + document.first_line - 1,
                     position.column);
}

// nlohmann's own text starts with "[json.exception.parse_error.101] parse error at line ...: ".
std::string plain_reason(const std::string& what) {
  const std::size_t colon = what.find(": ");
  return colon == std::string::npos ? what : what.substr(colon + 2);
}

// Calls `visit(offset)` for every character outside of strings, quotes among them, until it says
// false.
template <typename Visit>
void outside_strings(std::string_view text, Visit visit) {
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') in_string = !in_string;
    if (in_string && text[at] == '\\') ++at;
    if (!in_string && at < text.size() && !visit(at)) return;
  }
}

// The parser says which number is beyond every double ("number overflow parsing '1e999'"), not
// where.
[[noreturn]] void refuse_number(const JsonDocument& document, const std::string& what) {
  const std::size_t begin = what.find('\'') + 1;
  const std::string number = what.substr(begin, what.rfind('\'') - begin);
  std::size_t offset = 0;
  outside_strings(document.text, [&](std::size_t at) {
    if (document.text.compare(at, number.size(), number) != 0) return true;
    offset = at;
    return false;
  });
  fail(ExitCode::bad_input, "{}: the number {} is larger than a float64 can be",
       place(document, offset), number);
}

// Whatever walks a value does so recursively, and so does its printing; a text that is nested
// without end must not exhaust the stack.
void require_shallow(const JsonDocument& document) {
  constexpr std::size_t k_deepest = 128;
  std::size_t depth = 0;
  outside_strings(document.text, [&](std::size_t at) {
    const char c = document.text[at];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (depth > k_deepest) {
      fail(ExitCode::bad_input, "{}: nested deeper than {} levels", place(document, at), k_deepest);
    }
    return true;
  });
}

}  // namespace

TextPosition position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t newline = before.rfind('\n');
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          newline == std::string_view::npos ? before.size() + 1 : before.size() - newline};
}

std::string JsonDocument::where(std::string_view pointer) const {
  const OffsetIndex index(text);
  std::string key(pointer);
  while (true) {
    if (const auto found = index.offsets().find(key); found != index.offsets().end()) {
      return place(*this, found->second);
    }
    key.resize(key.rfind('/') == std::string::npos ? 0 : key.rfind('/'));
  }
}

JsonDocument parse_json(std::string text, const std::filesystem::path& path,
                        std::size_t first_line) {
  JsonDocument document{path, std::move(text), {}, first_line};
  require_shallow(document);
  std::vector<std::set<std::string>> members;
  std::string repeated;
  const auto note_members = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) members.emplace_back();
    if (event == Json::parse_event_t::object_end) members.pop_back();
    if (event == Json::parse_event_t::key &&
        !members.back().insert(parsed.get<std::string>()).second) {
      repeated = parsed.get<std::string>();
    }
    return true;
  };
  try {
    document.value = Json::parse(document.text, note_members);
  } catch (const Json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    fail(ExitCode::bad_input, "{}: not valid JSON: {}", place(document, offset),
         plain_reason(error.what()));
  } catch (const Json::out_of_range& error) {
    refuse_number(document, error.what());
  }
  if (!repeated.empty()) {
    fail(ExitCode::bad_input, "{}: member \"{}\" occurs twice in one object; keep one",
         place(document, OffsetIndex(document.text).repeated_member()), repeated);
  }
  return document;
}

JsonDocument read_json(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    fail(ExitCode::bad_input, "{}: no such file", path.string());
  }
  return parse_json(read_file(path), path);
}

Json read_json_if_there(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? read_json(path).value : Json();
}

std::string to_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kernelloop
