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
  std::size_t initialisers = 0;        // functions that run when it is loaded
  // One of them gives variables their first values: references to shared memory have such.
  bool initialises_variables = false;
};

// Throws Error(internal) when the bytes are no 64-bit ELF file with a symbol table.
ModuleSymbols read_module_symbols(std::string_view library);

}  // namespace kernelloop
