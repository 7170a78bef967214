// What a version may not ask its preprocessor: the time, and which files there are.
#pragma once

#include "compile/problem.hpp"

#include <vector>

namespace kernelloop {

class SourceText;

// __DATE__, __TIME__ and __TIMESTAMP__, which make each build another; __has_include of anything
// but a header by its name, since it tells the machine apart; and, where ## joins words, beginnings
// of these. Bidirectional control characters too, by which a reader sees other code than the
// compiler.
std::vector<Problem> check_preprocessor_use(const SourceText& source);

}  // namespace kernelloop
