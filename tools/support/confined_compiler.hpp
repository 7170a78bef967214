// Runs a compiler on a source that nobody vouches for: what it includes, or has the assembler
// embed, ends in messages that a model reads.
#pragma once

#include "support/process.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct CompilerFiles {
  std::vector<std::filesystem::path> readable;  // beside the compiler and what its options name
  std::filesystem::path writable;               // the folder for all that it makes
};

// Like run(), but confined where that is possible and KERNELLOOP_SANDBOX does not forbid it: it
// sees the system, the compiler's own folder, the C++ compiler of PATH, files and folders that its
// options name by absolute paths, and the files given. It gets the variables of the command, PATH
// and LANG. A program that a signal ended then has the exit code 128 and the signal. Throws
// Error(environment) where KERNELLOOP_SANDBOX requires what cannot be had.
ProcessResult run_compiler(const Command& command, const CompilerFiles& files);

// How compilers of versions are confined now, in words for the evidence. Throws as run_compiler.
std::string compiler_confinement();

}  // namespace kernelloop
