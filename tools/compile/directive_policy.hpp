// What a source may say to the preprocessor, and how: so that a search of the text and the
// compilers see the same directives, and no line can claim to come from another file.
#pragma once

#include "compile/problem.hpp"

#include <vector>

namespace kernelloop {

class SourceText;

// Refused are: directives other than those of the standard that take part in no deceit (so no
// `#line`, no `# 5 "file" 3`), trigraphs, lines joined in the midst of a word or behind a backslash
// with blanks, control characters, and macros with a content in front of an #include, which a
// header could carry into its own code.
std::vector<Problem> check_directives(const SourceText& source);

}  // namespace kernelloop
