#include "product/image_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace kernelloop {
namespace {

constexpr std::size_t k_word = 8;
constexpr std::size_t k_words_per_line = 5;

std::uint64_t word_at(std::string_view image, std::size_t offset) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < k_word && offset + i < image.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(image[offset + i])} << (8 * i);
  }
  return word;
}

}  // namespace

std::string image_text(std::string_view name, std::string_view image) {
  std::string text = fmt::format("alignas(64) const std::uint64_t {}[] = {{", name);
  for (std::size_t offset = 0; offset < image.size(); offset += k_word) {
    const bool new_line = offset % (k_word * k_words_per_line) == 0;
    fmt::format_to(std::back_inserter(text), "{}0x{:x}u,", new_line ? "\n    " : " ",
                   word_at(image, offset));
  }
  text += "\n};\n";
  return text;
}

}  // namespace kernelloop
