// Whether the compilers work at all, told by a kernel that does nothing, before anybody is asked
// for one that does something.
#pragma once

#include "compile/compile.hpp"

namespace kernelloop {

// Compiles such a kernel as `request` has versions in CUDA C++ compiled: by nvcc, where there is
// one, for every architecture with all options, and for the CPU device. Its source, output_dir,
// spec and language play no role.
//
// Throws Error(bad_input) when nvcc takes the options or the architecture for wrong,
// Error(environment) when a compiler does not work, Error(io) when the disk is full: each says what
// the compiler says.
void try_compilers(const CompileRequest& request);

}  // namespace kernelloop
