// The messages of the compilers' front ends: nvcc's (EDG) and the host's (GCC form).
#pragma once

#include "compile/problem.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

namespace kernelloop {

class SourceText;

// Errors and warnings in the order in which they stand, each with its notes and the template that
// was being instantiated; the same one from several instantiations comes once. Warnings about
// things that cost nothing (unused variables) are left out. An error inside a header gets the line
// of the source that led there, where the compiler says it. `path` is the source as the compiler
// was given it; its mere file name means it too.
std::vector<Problem> front_end_problems(std::string_view messages,
                                        const std::filesystem::path& path,
                                        const SourceText& source);

// Whether a line of output is a message about a place in some file ("k.cu(3): error: ..",
// "k.cu:3:1: error: ..").
bool is_located_message(std::string_view line);

}  // namespace kernelloop
