// The statements of a PTX text, wherever they stand: one a line as nvcc prints them, or as an
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

// A variable in global or constant memory that the module declares.
struct PtxVariable {
  std::string name;
  bool initialised = false;
  std::vector<std::string> value;  // the names in its first value: addresses of others
  std::size_t line = 0;            // in the PTX, from 1
};

// A statement that is neither an instruction nor a directive that is known.
struct UnreadPtx {
  std::string text;  // its first word or sign
  std::size_t line = 0;
};

struct PtxCode {
  std::vector<PtxInstruction> instructions;  // in order
  std::vector<PtxVariable> variables;
  std::vector<UnreadPtx> unread;
};

// A statement is labels, a guard (`@p`, `@!p`), an opcode with its modifiers, operands and a ';'.
// Comments, blanks and line ends may stand between any two of these, the modifiers included. What
// does not fit ends up in `unread`, so that whoever judges a version can refuse what is hidden.
PtxCode read_ptx_code(const std::vector<std::string>& lines);

}  // namespace kernelloop
