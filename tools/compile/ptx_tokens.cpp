#include "compile/ptx_tokens.hpp"

#include <cctype>
#include <utility>

namespace kernelloop {
namespace {

bool is_ptx_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

class Lexer {
 public:
  std::vector<PtxToken> read(const std::vector<std::string>& lines) {
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
    tokens_.push_back({line.substr(at, end - at), number});
    return end;
  }

  std::vector<PtxToken> tokens_;
  bool in_comment_ = false;
};

}  // namespace

std::vector<PtxToken> ptx_tokens(const std::vector<std::string>& lines) {
  return Lexer().read(lines);
}

}  // namespace kernelloop
