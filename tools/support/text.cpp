#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kernelloop {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000.0);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view k_blank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(k_blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(k_blank) - first + 1);
}

std::string_view last_line(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return {};
  const std::size_t before = text.rfind('\n', last);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, last + 1 - begin);
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0u) == 0x80u) --limit;
  return std::string(text.substr(0, limit)) + " ...";
}

std::string plain_text(std::string_view text, std::size_t limit) {
  std::string plain;
  for (const char c : shortened(text, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    // U+0080 to U+009F are control characters of two bytes, the first of which is 0xC2.
    const bool second = !plain.empty() && plain.back() == '\xC2' && byte >= 0x80 && byte < 0xA0;
    if (second) plain.pop_back();
    const bool obeyed = second || byte == 0x7F || (byte < 0x20 && c != '\n' && c != '\t');
    plain += obeyed ? '?' : c;
  }
  return plain;
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+=:@%,").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace kernelloop
