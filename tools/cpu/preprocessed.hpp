// The tokens of a preprocessed C++ text, with the file and line that each came from.
//
// Working after the preprocessor means that comments, macros and conditional code need no thought:
// what is seen is what is compiled. Strings and raw strings are tokens, so nothing in them counts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct PreprocessedToken {
  enum class Kind { identifier, number, string, character, punctuation };
  Kind kind = Kind::punctuation;
  std::string_view text;   // into the text given to tokenize_preprocessed
  std::size_t offset = 0;  // in that text
  std::size_t line = 0;    // in the file that it came from
  std::size_t file = 0;    // index into PreprocessedText::files

  [[nodiscard]] bool is(std::string_view other) const noexcept { return text == other; }
};

// A system header that a file of the user's includes.
struct PreprocessedInclude {
  std::string path;
  std::size_t line = 0;
  std::size_t file = 0;
};

// A #pragma, or what a _Pragma became, in a file of the user's.
struct PreprocessedPragma {
  std::string_view text;  // behind the word, blanks around it removed
  std::size_t line = 0;
};

struct PreprocessedText {
  std::vector<std::string> files;
  std::vector<PreprocessedInclude> includes;
  std::vector<PreprocessedPragma> pragmas;
  std::vector<PreprocessedToken>
      tokens;  // of the user's files; those of system headers are left out
};

// `text` must outlive the result.
PreprocessedText tokenize_preprocessed(std::string_view text);

}  // namespace kernelloop
