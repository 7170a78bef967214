// Makes a listing of a version's machine code with whatever this machine has.
#pragma once

#include "inspect/listing.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {

struct Disassembler {
  enum class Kind { none, nvdisasm, cuobjdump };
  Kind kind = Kind::none;
  std::filesystem::path program;  // unless none
};

// nvdisasm where there is one, since it knows source lines and inlined code; else cuobjdump. Looked
// for beside `nvcc` (may be empty), in PATH and in the toolkit's usual places.
Disassembler find_disassembler(const std::filesystem::path& nvcc);

// The text that it prints of a cubin. Throws Error(environment) when it fails or is none.
std::string disassemble(const Disassembler& disassembler, const std::filesystem::path& cubin);

// "nvdisasm 13.0.85"; without the number where the program does not tell it.
std::string version_of(const Disassembler& disassembler);

}  // namespace kernelloop
