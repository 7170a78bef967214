#include "compile/ptx_code.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kernelloop {
namespace {

struct Token {
  std::string text;
  std::size_t line = 0;
};

bool is_ptx_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

// Splits lines into words and punctuation. "L2::evict_last" is one word.
class Lexer {
 public:
  std::vector<Token> read(const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) read_line(lines[i], i + 1);
    return std::move(tokens_);
  }

 private:
  void read_line(const std::string& line, std::size_t number) {
    for (std::size_t at = 0; at < line.size();) {
      if (in_comment_) {
        const std::size_t end = line.find("*/", at);
        if (end == std::string::npos) return;
        in_comment_ = false;
        at = end + 2;
      } else if (line.compare(at, 2, "//") == 0) {
        return;
      } else if (line.compare(at, 2, "/*") == 0) {
        in_comment_ = true;
        at += 2;
      } else if (line[at] == '"') {
        const std::size_t end = line.find('"', at + 1);
        at = end == std::string::npos ? line.size() : end + 1;
      } else if (is_ptx_word(line[at])) {
        at = read_word(line, at, number);
      } else {
        if (std::isspace(static_cast<unsigned char>(line[at])) == 0) {
          tokens_.push_back({std::string(1, line[at]), number});
        }
        ++at;
      }
    }
  }

  std::size_t read_word(const std::string& line, std::size_t at, std::size_t number) {
    std::size_t end = at;
    while (end < line.size()) {
      if (is_ptx_word(line[end])) {
        ++end;
      } else if (line.compare(end, 2, "::") == 0) {
        end += 2;
      } else {
        break;
      }
    }
    std::string word = line.substr(at, end - at);
    // `mov .u32` is `mov.u32`.
    if (word.front() == '.' && ends_with_mnemonic()) {
      tokens_.back().text += word;
    } else {
      tokens_.push_back({std::move(word), number});
    }
    return end;
  }

  // The last word stands where an instruction begins: behind another one, a label, a guard, or the
  // numbers of a `.loc`.
  [[nodiscard]] bool ends_with_mnemonic() const {
    if (tokens_.empty() || std::isalpha(static_cast<unsigned char>(tokens_.back().text[0])) == 0) {
      return false;
    }
    if (tokens_.size() == 1) return true;
    const std::string& before = tokens_[tokens_.size() - 2].text;
    constexpr std::string_view k_begin = ";{}:";
    return k_begin.find(before[0]) != std::string_view::npos || before[0] == '%' ||
           std::isdigit(static_cast<unsigned char>(before[0])) != 0;
  }

  std::vector<Token> tokens_;
  bool in_comment_ = false;
};

bool is_opcode(const std::string& word) {
  return std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         word.find('.') != std::string::npos;
}

bool is_identifier(const std::string& word) {
  const char first = word.front();
  return std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '_' || first == '$';
}

// `.func (.param .b32 result) name`: the name behind the token at `at`.
std::string name_behind(const std::vector<Token>& tokens, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at + 1; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text == "(") ++depth;
    if (text == ")" && depth > 0) --depth;
    if (text == ";" || text == "{") break;
    if (depth == 0 && is_identifier(text)) return text;
  }
  return {};
}

// `.global .align 4 .b8 table[16] = {...}, other;`: from the token at `at`.
void read_variables(const std::vector<Token>& tokens, std::size_t at,
                    std::vector<PtxVariable>& variables) {
  bool named = false;
  int depth = 0;  // of parentheses, brackets and braces: attributes, extents, initial values
  for (std::size_t i = at + 1; i < tokens.size() && tokens[i].text != ";"; ++i) {
    const std::string& text = tokens[i].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    if (depth != 0) continue;
    if (text == ",") named = false;
    if (text == "=" && named) variables.back().initialised = true;
    if (named || !is_identifier(text)) continue;
    variables.push_back({text, false, tokens[i].line});
    named = true;
  }
}

}  // namespace

std::string_view PtxInstruction::base() const {
  return std::string_view(opcode).substr(0, opcode.find('.'));
}

std::vector<std::string_view> PtxInstruction::modifiers() const {
  std::vector<std::string_view> result;
  std::string_view rest = opcode;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    result.push_back(rest.substr(0, rest.find('.')));
  }
  return result;
}

bool PtxInstruction::has(std::string_view modifier) const {
  const std::vector<std::string_view> all = modifiers();
  return std::find(all.begin(), all.end(), modifier) != all.end();
}

PtxCode read_ptx_code(const std::vector<std::string>& lines) {
  const std::vector<Token> tokens = Lexer().read(lines);
  PtxCode code;
  std::string function;
  PtxInstruction* open = nullptr;  // the one whose operands are being read
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text == ";") {
      open = nullptr;
    } else if (text == ".entry" || text == ".func") {
      function = name_behind(tokens, i);
      open = nullptr;
    } else if (text == ".global" && (i == 0 || tokens[i - 1].text != ".ptr")) {
      read_variables(tokens, i, code.variables);
    } else if (is_opcode(text) || (open == nullptr && text == "call")) {
      open = &code.instructions.emplace_back();
      open->opcode = text;
      open->function = function;
      open->line = tokens[i].line;
    } else if (open != nullptr) {
      open->operands.push_back(text);
    }
  }
  return code;
}

}  // namespace kernelloop
