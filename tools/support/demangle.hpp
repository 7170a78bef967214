// Names of C++ symbols as people write them.
#pragma once

#include <string>

namespace kernelloop {

// "k(float*, int)" for "_Z1kPfi"; the name itself when it is not mangled.
std::string demangled(const std::string& name);

}  // namespace kernelloop
