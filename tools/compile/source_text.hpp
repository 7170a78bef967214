// The text of a version's source, seen as lines and as code without comments and literals.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// A line for the preprocessor, with those that a backslash or a comment joins to it.
struct Directive {
  std::string name;  // the word or number behind the hash; empty when there is none
  std::string rest;  // what follows, blanks around it and comments removed
  std::size_t line = 0;
};

struct IncludeDirective {
  std::string directive;  // "include", "include_next", "import", "embed"
  std::string target;     // the name between the delimiters; as written when there are none
  char delimiter = 0;     // '<', '"', or 0 for a macro
  std::size_t line = 0;
};

class SourceText {
 public:
  explicit SourceText(std::string text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  // Line `number`, counted from 1, without its end; empty when there is no such line.
  [[nodiscard]] std::string_view line(std::size_t number) const;
  [[nodiscard]] std::size_t line_of(std::size_t offset) const;

  // The text with comments, string and character literals replaced by spaces: same length, same
  // lines.
  [[nodiscard]] const std::string& code() const noexcept { return code_; }

  // The text with comments alone replaced by spaces.
  [[nodiscard]] const std::string& uncommented() const noexcept { return uncommented_; }

  // String and character literals, in order: [first, last) in the text, quotes included.
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  [[nodiscard]] const std::vector<Range>& literals() const noexcept { return literals_; }

  // Where `word` stands in the code as a whole identifier, from `offset` on.
  [[nodiscard]] std::optional<std::size_t> find_word(std::string_view word,
                                                     std::size_t offset = 0) const;
  // Its first line, or 0.
  [[nodiscard]] std::size_t line_of_word(std::string_view word) const;

  // All directives, in order. Those in a branch that the preprocessor skips are listed too.
  [[nodiscard]] std::vector<Directive> directives() const;
  // Directives that read other files, in order.
  [[nodiscard]] std::vector<IncludeDirective> includes() const;

 private:
  std::string text_;
  std::string code_;         // comments and literals blanked
  std::string uncommented_;  // comments blanked, with the line ends in them
  std::vector<Range> literals_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace kernelloop
