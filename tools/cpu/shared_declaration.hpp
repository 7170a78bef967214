// Declarations of variables as tokens, and those with __shared__ rewritten to references to the
// places of their variables.
#pragma once

#include "cpu/preprocessed.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace kernelloop {

// Where in `tokens` the declaration with the __shared__ at `at` begins and ends (its semicolon).
// `end` is the number of tokens when there is no semicolon.
struct DeclarationRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};
DeclarationRange declaration_around(std::span<const PreprocessedToken> tokens, std::size_t at);

// The name of the first variable that a declaration (without its semicolon) gives; empty when none
// can be found.
std::string declared_name(std::span<const PreprocessedToken> declaration);

struct SharedRewrite {
  std::size_t first_number = 0;  // names of the helper types count from here
  std::string file;              // where the declaration stands, for messages
  std::size_t line = 0;
  // Outside of any function. Static variables then come with a function that registers them,
  // "<helper type>_register".
  bool namespace_scope = false;
};

// C++ for the declaration whose tokens (without the semicolon) are given: for each variable a local
// type that holds it (so that the original declaration is used as it stands, and each instance of a
// template has its own) and a reference to its place. Empty when no variable's name can be found.
// `used` is set to the number of helper types.
std::string rewrite_shared(std::span<const PreprocessedToken> declaration,
                           const SharedRewrite& rewrite, std::size_t& used);

}  // namespace kernelloop
