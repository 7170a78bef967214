// Lines of files that match a pattern.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kernelloop {

// A POSIX extended regular expression as a model may write one. Braces mean themselves, since code
// is full of them; back-references are refused, since they can take for ever.
class LinePattern {
 public:
  // Check `error` before the first use.
  LinePattern(const std::string& pattern, bool ignore_case);
  ~LinePattern();
  LinePattern(const LinePattern&) = delete;
  LinePattern& operator=(const LinePattern&) = delete;

  // What is wrong with the pattern; empty when it can be used.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

  // Whether a text can hold a matching line at all: a cheap test before the lines are looked at.
  [[nodiscard]] bool may_match(std::string_view text) const;
  // `line` without its end; of a very long one only the beginning counts.
  [[nodiscard]] bool matches(std::string_view line) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::string error_;
  std::string literal_;      // occurs in every match; empty: unknown
  bool is_literal_ = false;  // the whole pattern is just that
};

}  // namespace kernelloop
