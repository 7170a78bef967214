// Machine code as text, made ready to be counted and followed: SASS, or PTX where nothing here can
// disassemble.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct CodeInstruction {
  static constexpr std::size_t k_nowhere = static_cast<std::size_t>(-1);

  std::string opcode;       // with its modifiers: "LDG.E.128", "fma.rn.f32"
  std::string text;         // the whole instruction without its address: "@!P0 BRA `(.L_x_0)"
  std::string predicate;    // "@!P0"; empty when it is always executed
  std::size_t address = 0;  // SASS: byte offset in the function; PTX: line, from 1
  std::size_t target = k_nowhere;  // of a jump: index into the function's instructions
  bool falls_through = true;       // may the next instruction follow?
  std::size_t source_line = 0;     // 0 when unknown
};

struct CodeFunction {
  std::string name;  // the symbol
  std::vector<CodeInstruction> instructions;
};

struct Listing {
  enum class Language { sass, ptx };
  Language language = Language::sass;
  std::vector<CodeFunction> functions;
  std::string made_by;  // "nvdisasm 13.0.85"; for PTX "nvcc"
  std::string lacks;    // what is missing here and what that costs; empty when nothing is

  // The function of that name, or nullptr.
  [[nodiscard]] const CodeFunction* find(std::string_view name) const;
};

const char* name_of(Listing::Language language);  // "SASS", "PTX"

// Reads what `nvdisasm -c -g` or `cuobjdump -sass` prints. Instructions behind the last jump that
// only fill up the section (a jump to itself and NOPs) are left out. `source_name` is the file name
// whose lines are meant; lines of other files count as unknown.
std::vector<CodeFunction> read_sass(std::string_view text, std::string_view source_name);

// Reads the PTX that nvcc wrote.
std::vector<CodeFunction> read_ptx(std::string_view text, std::string_view source_name);

}  // namespace kernelloop
