// What an instruction is for, in the words in which a kernel's work is talked about.
#pragma once

#include "inspect/listing.hpp"

#include <array>
#include <string>
#include <string_view>

namespace kernelloop {

struct InstructionClass {
  std::string_view name;
  // A rough guide to what one costs an SM, for picking the loop that matters: a tensor-core
  // operation keeps its pipe busy longest, then come accesses to memory.
  int work = 0;
};

// All classes, in the order in which tables show them; the last is for what nothing else names.
inline constexpr std::array<InstructionClass, 18> k_instruction_classes{{
    {"tensor", 16},
    {"global load", 4},
    {"global store", 4},
    {"bulk copy", 8},
    {"shared load", 2},
    {"shared store", 2},
    {"local (spills)", 4},
    {"atomic", 4},
    {"fp32", 1},
    {"fp16/bf16", 1},
    {"fp64", 2},
    {"special", 2},
    {"conversion", 2},
    {"integer", 1},
    {"shuffle/vote", 2},
    {"barrier/fence", 1},
    {"branch", 0},
    {"move/other", 0},
}};

// Index into the table. New opcodes of coming architectures land in the last class.
std::size_t class_of(Listing::Language language, std::string_view opcode);

// The same, with a look at the operands: `HFMA2 R9, -RZ, RZ, 0, 0` only sets a register.
std::size_t class_of(Listing::Language language, const CodeInstruction& one);

// Bytes that one thread moves: 16 for "LDG.E.128" and "ld.global.v4.f32", 4 without a width; 0 for
// what is no access to memory.
int access_bytes(Listing::Language language, std::string_view opcode);

}  // namespace kernelloop
