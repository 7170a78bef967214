// What the emulation layer cannot run, found before anything is compiled.
#pragma once

#include "cpu/preprocessed.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace kernelloop {

// The first construct in the user's code that the CPU device lacks, as "kernel.cu:12: inline
// assembly (asm)"; nothing when all of it can be tried.
std::optional<std::string> find_unsupported(const PreprocessedText& text);

// The same from a preprocessor's or compiler's messages: a header of CUDA that the CPU device
// lacks, an intrinsic that it lacks, a type of ours that says so itself.
std::optional<std::string> unsupported_in_messages(std::string_view messages);

}  // namespace kernelloop
