// Whether the compilers work at all, before anybody is asked for something to compile.
#pragma once

#include "compile/compile.hpp"

namespace kernelloop {

// Compiles what shows that the compiler of `request`'s language works. In CUDA C++ that is a kernel
// that does nothing: by nvcc, where there is one, for every architecture with all options, and for
// the CPU device. In another language it is the example of what models are told of it. The
// request's source, output_dir and spec play no role.
//
// Throws Error(bad_input) when nvcc takes the options or the architecture for wrong,
// Error(environment) when a compiler does not work, Error(io) when the disk is full: each says what
// the compiler says.
void try_compilers(const CompileRequest& request);

}  // namespace kernelloop
