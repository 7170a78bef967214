// Small helpers for reading tools' output line by line.
#pragma once

#include "support/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace kernelloop {

inline bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <typename Words>
bool is_one_of(std::string_view word, const Words& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// A character of an identifier.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Takes `prefix` off the front of `text`; false when it does not stand there.
inline bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!starts_with(text, prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// The decimal number that `text` starts with; 0 when it starts with none.
inline std::size_t leading_number(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Calls `action` with each line, without its end.
template <typename Action>
void for_each_line(std::string_view text, const Action& action) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    action(text.substr(0, newline));
    if (newline == std::string_view::npos) return;
    text.remove_prefix(newline + 1);
  }
}

}  // namespace kernelloop
