// The symbols of a shared object that the host compiler has just built.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct ModuleSymbols {
  std::vector<std::string> variables;  // mangled names of objects in memory that can be written
  std::vector<std::string> imports;    // functions and objects that it takes from elsewhere
  // Functions and objects that it has itself, whoever sees them: within it they stand before those
  // that the process has under the same names.
  std::vector<std::string> definitions;
  std::size_t initialisers = 0;  // functions that run when it is loaded
  std::size_t finalisers = 0;    // functions that run when it is unloaded
  // Sections and segments that no compiler makes of plain code: memory that can be both written and
  // executed, code outside of the usual places, functions that the loader chooses. In words.
  std::vector<std::string> odd_places;
};

// Throws Error(internal) when the bytes are no 64-bit ELF file with a symbol table.
ModuleSymbols read_module_symbols(std::string_view library);

// The functions and objects of a library that a program linked with it today can name: without
// those that it has for older programs only. Throws as above, but needs no table of all symbols.
std::vector<std::string> read_exports(std::string_view library);

}  // namespace kernelloop
