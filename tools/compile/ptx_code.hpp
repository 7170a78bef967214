// The instructions of a PTX text, wherever they stand: one a line as nvcc prints them, or as an
// inline asm wrote them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct PtxInstruction {
  std::string opcode;                 // with its modifiers: "fma.rn.f32"
  std::vector<std::string> operands;  // words and punctuation behind it, up to the ';'
  std::string function;               // that holds it
  std::size_t line = 0;               // in the PTX, from 1

  // "fma" of "fma.rn.f32".
  [[nodiscard]] std::string_view base() const;
  // "rn", "f32"; "kind::f16" is one.
  [[nodiscard]] std::vector<std::string_view> modifiers() const;
  [[nodiscard]] bool has(std::string_view modifier) const;
};

// A variable in global memory that the module declares.
struct PtxVariable {
  std::string name;
  bool initialised = false;
  std::size_t line = 0;  // in the PTX, from 1
};

struct PtxCode {
  std::vector<PtxInstruction> instructions;  // in order
  std::vector<PtxVariable> variables;
};

// Every word with a dot inside is taken for an opcode: names and directives have none. Comments do
// not matter, nor do blanks before a modifier or what else stands on the line.
PtxCode read_ptx_code(const std::vector<std::string>& lines);

}  // namespace kernelloop
