// Files that are damaged as disks, broken transfers and ill will damage them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace kernelloop::test {

// Another damage for each number: bytes anywhere, fields of the header, of the tables behind it (at
// the end of a cubin), a run of zeros, or a piece that is missing.
inline std::string damaged(const std::string& whole, unsigned number) {
  std::mt19937 random(number);
  const auto below = [&](std::size_t limit) { return random() % std::max<std::size_t>(limit, 1); };
  std::string text = whole;
  const auto scribble = [&](std::size_t begin, std::size_t size, int count) {
    for (int i = 0; i < count; ++i) text[begin + below(size)] = static_cast<char>(random());
  };
  const std::size_t tables = std::min<std::size_t>(text.size(), 4096);
  switch (number % 5) {
    case 0:
      scribble(0, text.size(), 1 + static_cast<int>(below(32)));
      break;
    case 1:
      scribble(0, std::min<std::size_t>(text.size(), 64), 1 + static_cast<int>(below(4)));
      break;
    case 2:
      scribble(text.size() - tables, tables, 1 + static_cast<int>(below(16)));
      break;
    case 3: {
      const std::size_t begin = below(text.size());
      const std::size_t size = std::min(text.size() - begin, 1 + below(2048));
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(begin), size, '\0');
      break;
    }
    default:
      text.erase(below(text.size()), 1 + below(512));
      break;
  }
  return text;
}

}  // namespace kernelloop::test
