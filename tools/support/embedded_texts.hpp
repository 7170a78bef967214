// Texts that CMake built into a program (kernelloop_embed_texts).
#pragma once

#include <span>
#include <string_view>

namespace kernelloop {

struct EmbeddedText {
  std::string_view name;  // of the file, without its suffix
  std::string_view text;
};

using EmbeddedTexts = std::span<const EmbeddedText>;

}  // namespace kernelloop
