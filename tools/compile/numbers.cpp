#include "compile/numbers.hpp"

#include "compile/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

namespace kernelloop {
namespace {

constexpr std::int64_t k_least = 3;
constexpr std::int64_t k_most = std::int64_t{1} << 31;

void add(std::optional<std::int64_t> number, std::set<std::int64_t>& numbers) {
  if (!number || *number == INT64_MIN) return;
  const std::int64_t size = std::abs(*number);
  if (size >= k_least && size <= k_most) numbers.insert(size);
}

// The whole of `text` as a number; nothing where it is none.
std::optional<std::int64_t> number_of(std::string_view text, int base) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "5003.0f", "5003.": the text of a floating literal without an exponent.
std::optional<std::int64_t> whole_number_of(std::string text) {
  if (text.back() == 'f') text.pop_back();
  const std::size_t point = text.find('.');
  if (text.find_first_not_of('0', point + 1) != std::string::npos) return std::nullopt;
  return number_of(std::string_view(text).substr(0, point), 10);
}

// "5'003u", "0x20", "5003.0f" as C++ spells them; nothing for floating literals that are no whole
// number, or have an exponent.
std::optional<std::int64_t> literal_of(std::string_view word) {
  std::string digits(word);
  digits.erase(std::remove(digits.begin(), digits.end(), '\''), digits.end());
  for (char& letter : digits) letter = static_cast<char>(std::tolower(letter));
  while (!digits.empty() &&
         (digits.back() == 'u' || digits.back() == 'l' || digits.back() == 'z')) {
    digits.pop_back();
  }
  const std::string_view text = digits;
  if (starts_with(text, "0x")) return number_of(text.substr(2), 16);
  if (starts_with(text, "0b")) return number_of(text.substr(2), 2);
  if (text.find('.') != std::string_view::npos) return whole_number_of(digits);
  return number_of(text, text.size() > 1 && text.front() == '0' ? 8 : 10);
}

bool continues_literal(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' ||
         letter == '\'';
}

// The whole number nearest to a literal of PTX: "5003", "0f459C5800" (float32), "0d..." (float64).
std::optional<std::int64_t> ptx_number(std::string_view word) {
  double value = 0.0;
  if (word.size() == 10 && starts_with(word, "0f")) {
    const auto bits = number_of(word.substr(2), 16);
    if (!bits) return std::nullopt;
    value = std::bit_cast<float>(static_cast<std::uint32_t>(*bits));
  } else if (word.size() == 18 && starts_with(word, "0d")) {
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(word.data() + 2, word.data() + word.size(), bits, 16);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    value = std::bit_cast<double>(bits);
  } else {
    return number_of(word, 10);
  }
  if (!(std::fabs(value) <= static_cast<double>(k_most))) return std::nullopt;
  return std::llround(value);
}

}  // namespace

std::set<std::int64_t> numbers_in(const PtxCode& code) {
  static constexpr std::array<std::string_view, 8> k_tells{"setp", "set",  "add", "sub",
                                                           "xor",  "addc", "mad", "slct"};
  std::set<std::int64_t> numbers;
  std::set<std::int64_t> compared;
  std::set<std::int64_t> shifts;
  for (const PtxInstruction& one : code.instructions) {
    if (one.base() == "shr" && !one.operands.empty()) {
      const auto shift = number_of(one.operands.back(), 10);
      if (shift && *shift > 0 && *shift < 32) shifts.insert(*shift);
    }
    if (!is_one_of(one.base(), k_tells)) continue;
    for (const std::string& word : one.operands) {
      const std::optional<std::int64_t> number = ptx_number(word);
      add(number, numbers);
      if (number && one.base() == "setp") compared.insert(*number);
    }
  }
  // `(cols >> 8) == 39` asks for a range of sizes: one in its middle.
  for (const std::int64_t number : compared) {
    for (const std::int64_t shift : shifts) {
      if (number > 0 && number <= (k_most >> shift)) {
        add((number << shift) + (std::int64_t{1} << (shift - 1)), numbers);
      }
    }
  }
  return numbers;
}

std::set<std::int64_t> numbers_in(std::string_view code) {
  std::set<std::int64_t> numbers;
  for (std::size_t at = 0; at < code.size();) {
    if (!continues_literal(code[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;  // of a name or a literal
    while (end < code.size() && continues_literal(code[end])) ++end;
    if (std::isdigit(static_cast<unsigned char>(code[at])) != 0) {
      add(literal_of(code.substr(at, end - at)), numbers);
    }
    at = end;
  }
  return numbers;
}

}  // namespace kernelloop
