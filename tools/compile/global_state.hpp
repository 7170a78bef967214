// Variables in global memory that the kernels of a version write. They keep their value from one
// launch to the next, so that a launch need not depend on its inputs alone.
#pragma once

#include "compile/ptx_code.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace kernelloop {

struct GlobalState {
  std::string variable;  // the symbol
  // false: its address is stored, handed to a function, or used as a number, so that nothing shows
  // it is never written
  bool written = false;
  std::size_t line = 0;  // of the access in the PTX, from 1
};

// Each variable once. An address may be read from, moved, added to (also a product to it) and
// chosen between; two of the same variable may be subtracted, and compared for equality; handing
// one to __assertfail (the text of an assertion) is no use of it. Everything else is reported,
// since an address that has become a number, a predicate or a value in memory can come back as one
// that nobody follows.
std::vector<GlobalState> global_state(const PtxCode& code);

}  // namespace kernelloop
