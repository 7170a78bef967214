// The names that belong to the process in which a version runs on the CPU device.
#pragma once

#include <string>

namespace kernelloop {

// Whether a function or variable of this (mangled) name is the C or C++ library's, a sanitizer's
// or the compiler's own. A module that defines one has it called in place of the process's, by the
// emulation of a GPU too. Helpers of the compiler's for arithmetic do not count: the linker puts
// them into modules itself.
bool belongs_to_process(const std::string& name);

}  // namespace kernelloop
